import { fieldsOf, isRecord } from '../../domain/base/is-record.js';
import type { AgentEvent, AgentOutcome, StreamReader } from '../../domain/agent/agent-stream.js';
import {
  inShort,
  JsonLinesReader,
  objectsOf,
  textOf,
  textsIn,
  type JsonEvent,
  type JsonLinesDialect,
} from './json-lines.js';
import { countOf, reportedOf } from './reported.js';
import { isUuid } from './uuid-v5.js';

const NO_SESSION = 'No conversation found with session ID';
const SESSION_IN_USE = /^Error: Session ID \S+ is already in use/;
/** Status of a request of more bytes than one may have. */
const TOO_LARGE = 413;
/** Why the CLI stopped: the conversation does not fit, and could not be made to. */
const FULL = ['prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'];

/** Claude Code's `stream-json` output, and the errors that it prints as plain text instead. */
export function claudeReader(): StreamReader {
  return new JsonLinesReader(DIALECT);
}

const DIALECT: JsonLinesDialect = {
  eventsOf: (event) => {
    switch (event['type']) {
      case 'system':
        return systemEvents(event);
      case 'assistant':
        return assistantEvents(event);
      case 'user':
        return blocksOf(event)
          .filter(({ type }) => type === 'tool_result')
          .map(toolResult);
      case 'result':
        return resultEvents(event);
      default:
        // The type of a result stands behind what may have been cut.
        return event['type'] === undefined && 'total_cost_usd' in event
          ? resultEvents(event)
          : [{ kind: 'progress' }];
    }
  },
  outcomeOfText: (line) => {
    if (line.startsWith(NO_SESSION)) return 'unknown_session';
    return SESSION_IN_USE.test(line) ? 'failed' : undefined;
  },
  tokensOf: 'turn',
  costOf: 'session',
};

function systemEvents(event: JsonEvent): AgentEvent[] {
  const id = textOf(event['session_id']);
  switch (event['subtype']) {
    case 'init':
      return isUuid(id) ? [{ kind: 'session', id }] : [{ kind: 'progress' }];
    case 'permission_denied':
      return [{ kind: 'denied', tool: inShort(textOf(event['tool_name'])) }];
    case 'api_retry': {
      const status = countOf(event['error_status']);
      const what = `${textOf(event['error'])}${status === 0 ? '' : ` (${String(status)})`}`;
      return [{ kind: 'error', text: inShort(`the model did not answer: ${what}; trying again`) }];
    }
    default:
      return [{ kind: 'progress' }];
  }
}

function assistantEvents(event: JsonEvent): AgentEvent[] {
  const isError = event['is_api_error_message'] === true;
  return blocksOf(event).flatMap((block): AgentEvent[] => {
    switch (block['type']) {
      case 'text':
        return [{ kind: isError ? 'error' : 'text', text: textOf(block['text']) }];
      case 'thinking':
        return [{ kind: 'thinking', text: textOf(block['thinking']) }];
      case 'tool_use': {
        const { id, name, input } = block;
        return [
          { kind: 'tool_call', id: inShort(textOf(id)), tool: inShort(textOf(name)), input: inShort(input) },
        ];
      }
      default:
        return [{ kind: 'progress' }];
    }
  });
}

function toolResult({ tool_use_id, is_error, content }: JsonEvent): AgentEvent {
  return {
    kind: 'tool_result',
    id: inShort(textOf(tool_use_id)),
    isError: is_error === true,
    output: inShort(Array.isArray(content) ? textsIn(content) : textOf(content)),
  };
}

function resultEvents(event: JsonEvent): AgentEvent[] {
  const text = textOf(event['result']) || inShort(objectTexts(event['errors']));
  const outcome = outcomeOf(event, text);
  // The zeros that it prints then are of no session.
  const usage = outcome === 'unknown_session' ? [] : usageOf(event);
  return [...usage, { kind: 'end', outcome, text }];
}

function outcomeOf(event: JsonEvent, text: string): AgentOutcome {
  const { is_error, terminal_reason, api_error_status } = event;
  // Of a line that was cut, what tells is gone: the exit code says the rest.
  const isGood = is_error === undefined ? terminal_reason !== 'api_error' : is_error === false;
  if (typeof terminal_reason === 'string' && FULL.includes(terminal_reason)) return 'context_full';
  if (api_error_status === TOO_LARGE) return 'context_full';
  if (isGood) return 'finished';
  if (text.startsWith(NO_SESSION)) return 'unknown_session';
  return terminal_reason === 'api_error' || typeof api_error_status === 'number' ? 'provider' : 'failed';
}

/** Tokens are of this turn; the cost is of the session so far. */
function usageOf({ usage, total_cost_usd: usd }: JsonEvent): AgentEvent[] {
  if (!isRecord(usage)) return [];
  const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = usage;
  const all = [input, cached, usage['cache_creation_input_tokens']];
  return [{ kind: 'usage', reported: reportedOf({ input: all, cached, output: [output], usd }) }];
}

function blocksOf({ message }: JsonEvent): readonly JsonEvent[] {
  return objectsOf(fieldsOf(message)['content']);
}

function objectTexts(value: unknown): string {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('\n') : '';
}
