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
import { reportedOf } from './reported.js';
import { isUuid } from './uuid-v5.js';

const NO_SESSION = 'no rollout found for thread id';
const FULL = /context window|context_length_exceeded|unexpected status 413\b/i;

/** What `codex exec --json` prints. */
export function codexReader(): StreamReader {
  return new JsonLinesReader(DIALECT);
}

const DIALECT: JsonLinesDialect = {
  eventsOf: (event) => {
    const item = fieldsOf(event['item']);
    switch (event['type']) {
      case 'thread.started': {
        const id = textOf(event['thread_id']);
        return isUuid(id) ? [{ kind: 'session', id }] : [{ kind: 'progress' }];
      }
      case 'item.started':
        return startOf(item);
      case 'item.completed':
        return endOf(item);
      case 'turn.completed':
        return [...usageOf(event['usage']), { kind: 'end', outcome: 'finished', text: '' }];
      case 'turn.failed': {
        const text = messageOf(event['error']);
        return [{ kind: 'end', outcome: outcomeOf(text), text }];
      }
      case 'error':
        return [{ kind: 'error', text: inShort(textOf(event['message'])) }];
      default:
        return [{ kind: 'progress' }];
    }
  },
  outcomeOfText: (line) => (line.includes(NO_SESSION) ? 'unknown_session' : undefined),
  tokensOf: 'session',
  costOf: 'session',
};

/** A turn fails for its model only: what tools say is told to the model. */
function outcomeOf(text: string): AgentOutcome {
  return FULL.test(text) ? 'context_full' : 'provider';
}

function startOf(item: JsonEvent): AgentEvent[] {
  const id = inShort(textOf(item['id']));
  switch (item['type']) {
    case 'command_execution':
      return [{ kind: 'tool_call', id, tool: 'shell', input: inShort(item['command']) }];
    case 'mcp_tool_call': {
      const tool = inShort(`mcp__${textOf(item['server'])}__${textOf(item['tool'])}`);
      return [{ kind: 'tool_call', id, tool, input: inShort(item['arguments']) }];
    }
    case 'file_change':
      return [{ kind: 'tool_call', id, tool: 'apply_patch', input: inShort(changesOf(item)) }];
    case 'web_search':
      return [{ kind: 'tool_call', id, tool: 'web_search', input: inShort(item['query']) }];
    default:
      return [{ kind: 'progress' }];
  }
}

function endOf(item: JsonEvent): AgentEvent[] {
  const id = inShort(textOf(item['id']));
  const isError = item['status'] === 'failed';
  const tool = (output: string): AgentEvent[] =>
    item['status'] === 'declined'
      ? [{ kind: 'denied', tool: inShort(textOf(item['type'])) }]
      : [{ kind: 'tool_result', id, isError, output: inShort(output) }];
  switch (item['type']) {
    case 'agent_message':
      return [{ kind: 'text', text: textOf(item['text']) }];
    case 'reasoning':
      return [{ kind: 'thinking', text: textOf(item['text']) }];
    case 'command_execution':
      return tool(textOf(item['aggregated_output']));
    case 'mcp_tool_call':
      return tool(
        isRecord(item['error']) ? messageOf(item['error']) : textsIn(fieldsOf(item['result'])['content']),
      );
    case 'file_change':
      return tool(changesOf(item));
    case 'error':
      return [{ kind: 'error', text: inShort(textOf(item['message'])) }];
    default:
      return [{ kind: 'progress' }];
  }
}

function changesOf(item: JsonEvent): string {
  return objectsOf(item['changes'])
    .map(({ kind, path }) => `${textOf(kind)} ${textOf(path)}`)
    .join('\n');
}

function messageOf(error: unknown): string {
  return inShort(textOf(fieldsOf(error)['message']));
}

/** Of the whole session so far; there is no cost. */
function usageOf(usage: unknown): AgentEvent[] {
  if (!isRecord(usage)) return [];
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  return [{ kind: 'usage', reported: reportedOf({ input: [input], cached, output: [output], usd: null }) }];
}
