import { fieldsOf } from '../../domain/base/is-record.js';
import type { AgentEvent, AgentOutcome, ReportedUse } from '../../domain/agent/agent-stream.js';
import { inShort, objectsOf, textOf, textsIn, type JsonEvent, type JsonLinesDialect } from './json-lines.js';
import { addReported, NOTHING_REPORTED, providerOutcome, reportedOf } from './reported.js';
import { isUuid } from './uuid-v5.js';

/**
 * What `pi --mode json` prints (pi's docs/json.md). Each answer of the model has its own figures, which are added up here.
 * A turn that failed ends with exit code 0: only the last answer's `stopReason` tells.
 */
export function piDialect(): JsonLinesDialect {
  let reported = NOTHING_REPORTED;
  let end: Extract<AgentEvent, { kind: 'end' }> | undefined;

  function answered(message: JsonEvent): AgentEvent[] {
    const failure = failureOf(message);
    end = {
      kind: 'end',
      outcome: failure?.outcome ?? 'finished',
      text: failure?.text ?? textsIn(message['content']),
    };
    reported = addReported(reported, usageOf(message['usage']));
    return [
      ...objectsOf(message['content']).flatMap(said),
      { kind: 'usage', reported },
      ...(failure === undefined ? [] : [{ kind: 'error', text: failure.text } as const]),
    ];
  }

  return {
    eventsOf: (event) => {
      const id = textOf(event['toolCallId']);
      switch (event['type']) {
        case 'session': {
          const session = textOf(event['id']);
          return isUuid(session) ? [{ kind: 'session', id: session }] : [];
        }
        case 'message_end': {
          const message = fieldsOf(event['message']);
          return message['role'] === 'assistant' ? answered(message) : [{ kind: 'progress' }];
        }
        case 'tool_execution_start':
          return [{ kind: 'tool_call', id, tool: textOf(event['toolName']), input: inShort(event['args']) }];
        case 'tool_execution_end': {
          const output = textsIn(fieldsOf(event['result'])['content']);
          return [{ kind: 'tool_result', id, isError: event['isError'] === true, output }];
        }
        // What comes before it may be followed by another try of pi's own.
        case 'agent_settled':
          return [end ?? { kind: 'end', outcome: 'failed', text: 'the model was not asked' }];
        default:
          return [{ kind: 'progress' }];
      }
    },
    outcomeOfText: (line) => (line.startsWith('No session found matching ') ? 'unknown_session' : undefined),
    tokensOf: 'turn',
    costOf: 'turn',
  };
}

function said(block: JsonEvent): AgentEvent[] {
  const [text, thinking] = [textOf(block['text']), textOf(block['thinking'])];
  if (block['type'] === 'text' && text !== '') return [{ kind: 'text', text }];
  if (block['type'] === 'thinking' && thinking !== '') return [{ kind: 'thinking', text: thinking }];
  return [];
}

function failureOf(
  message: JsonEvent,
): { readonly outcome: AgentOutcome; readonly text: string } | undefined {
  const text = textOf(message['errorMessage']);
  switch (message['stopReason']) {
    case 'error':
      return { outcome: providerOutcome(text), text };
    case 'aborted':
      return { outcome: 'failed', text: text === '' ? 'aborted' : text };
    default:
      return undefined;
  }
}

function usageOf(usage: unknown): ReportedUse {
  const { input, cacheRead: cached, cacheWrite, output, cost } = fieldsOf(usage);
  const usd = fieldsOf(cost)['total'];
  return reportedOf({ input: [input, cached, cacheWrite], cached, output: [output], usd });
}
