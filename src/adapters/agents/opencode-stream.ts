import { fieldsOf } from '../../domain/base/is-record.js';
import type { AgentEvent, ReportedUse, StreamReader } from '../../domain/agent/agent-stream.js';
import { inShort, JsonLinesReader, textOf, type JsonEvent } from './json-lines.js';
import { addReported, NOTHING_REPORTED, providerOutcome, reportedOf } from './reported.js';

export function isOpencodeSession(text: string): boolean {
  return /^ses_[0-9A-Za-z]{8,64}$/.test(text);
}

/**
 * What `opencode run --format json` prints, as seen. A tool's call is told when it is over. Each step (one answer of the
 * model) has its own figures, which are added up here; the last step that wants no tool is the end, there is no other sign.
 */
export function opencodeReader(): StreamReader {
  let reported = NOTHING_REPORTED;
  let hasFailed = false;

  function actsOf(event: JsonEvent): AgentEvent[] {
    const part = fieldsOf(event['part']);
    const text = textOf(part['text']);
    switch (event['type']) {
      case 'text':
        // What opencode itself puts into the conversation is marked.
        return [part['synthetic'] === true ? { kind: 'progress' } : { kind: 'text', text }];
      case 'reasoning':
        return [{ kind: 'thinking', text }];
      case 'tool_use':
        return toolActs(part);
      case 'step_finish':
        reported = addReported(reported, usageOf(part));
        return [{ kind: 'usage', reported }, ...endOf(textOf(part['reason']))];
      case 'error': {
        hasFailed = true;
        const { name, data } = fieldsOf(event['error']);
        const message = textOf(fieldsOf(data)['message']);
        const why = message === '' ? textOf(name) : message;
        const outcome = name === 'ContextOverflowError' ? 'context_full' : providerOutcome(why);
        return [
          { kind: 'error', text: why },
          { kind: 'end', outcome, text: why },
        ];
      }
      default:
        return [{ kind: 'progress' }];
    }
  }

  const lines = new JsonLinesReader({
    eventsOf: (event) => {
      const id = textOf(event['sessionID']);
      return [...(isOpencodeSession(id) ? [{ kind: 'session', id } as const] : []), ...actsOf(event)];
    },
    outcomeOfText: (line) => (line.includes('Session not found') ? 'unknown_session' : undefined),
    tokensOf: 'turn',
    costOf: 'turn',
  });
  return {
    read: (stream, line) => lines.read(stream, line),
    // It ends with 1 after any error, also one that it got over.
    summary: (exitCode, stopped) => lines.summary(hasFailed && exitCode === 1 ? 0 : exitCode, stopped),
  };
}

function toolActs(part: JsonEvent): AgentEvent[] {
  const [id, tool] = [textOf(part['callID']), textOf(part['tool'])];
  const state = fieldsOf(part['state']);
  const isError = state['status'] === 'error';
  const output = textOf(state[isError ? 'error' : 'output']);
  return [
    { kind: 'tool_call', id, tool, input: inShort(state['input']) },
    { kind: 'tool_result', id, isError, output },
    ...(isError && output.includes('rejected permission') ? [{ kind: 'denied', tool } as const] : []),
  ];
}

/** A stream that was cut gives the reason `unknown`, and opencode asks again. */
function endOf(reason: string): AgentEvent[] {
  switch (reason) {
    case 'stop':
    case 'length':
      return [{ kind: 'end', outcome: 'finished', text: '' }];
    case 'content-filter':
      return [{ kind: 'end', outcome: 'provider', text: 'the model refused to answer' }];
    default:
      return [];
  }
}

function usageOf({ tokens, cost: usd }: JsonEvent): ReportedUse {
  const { input, output, reasoning, cache } = fieldsOf(tokens);
  const { read: cached, write } = fieldsOf(cache);
  return reportedOf({ input: [input, cached, write], cached, output: [output, reasoning], usd });
}
