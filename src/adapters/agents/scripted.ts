import { InvalidInputError } from '../../domain/base/errors.js';
import type { AgentLaunch, AgentProvider } from '../../domain/agent/agent-provider.js';
import type { AgentEvent } from '../../domain/agent/agent-stream.js';
import { checkedSession } from './launch-checks.js';
import { inShort, JsonLinesReader, textOf, type JsonEvent, type JsonLinesDialect } from './json-lines.js';
import { isUuid, uuidV5 } from './uuid-v5.js';

/** Namespace of our session ids; any fixed UUID does. */
const SESSIONS = '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94';

/** The deterministic agent of demos and tests; its command line is modelled on Claude Code's (facts of its headless mode). */
export const scripted: AgentProvider = {
  name: 'scripted',
  version: null,
  image: 'bot-bottle/agent-scripted:dev',
  sessionPaths: ['/home/agent/.scripted'],
  access: () => null,
  // From the seed, so that a repeated activity chooses the same session.
  newSessionId: (seed) => uuidV5(SESSIONS, seed),
  isSessionId: isUuid,
  launch: ({ sessionId, resume, model, variant }): AgentLaunch => {
    if (model !== null)
      throw new InvalidInputError('provider scripted has no models: remove "model" from the agent');
    if (variant !== null)
      throw new InvalidInputError('provider scripted has no variants: remove "variant" from the agent');
    return {
      argv: [
        '/usr/local/bin/node',
        '/opt/bottle/scripted-agent.mjs',
        '--output-format',
        'stream-json',
        resume ? '--resume' : '--session-id',
        checkedSession('scripted', sessionId, isUuid),
      ],
      env: {},
      files: {},
      home: {},
    };
  },
  reader: () => new JsonLinesReader(DIALECT),
};

const DIALECT: JsonLinesDialect = {
  eventsOf: (event) => {
    const id = textOf(event['session_id']);
    return [...(isUuid(id) ? [{ kind: 'session', id } as const] : []), ...actsOf(event)];
  },
  outcomeOfText: (line) =>
    line.startsWith('No conversation found with session ID') ? 'unknown_session' : undefined,
  tokensOf: 'turn',
  costOf: 'turn',
};

function actsOf(event: JsonEvent): AgentEvent[] {
  const tool = textOf(event['name']);
  switch (event['type']) {
    case 'tool_use':
      return [{ kind: 'tool_call', id: '', tool, input: inShort(event['input']) }];
    case 'tool_result': {
      const isError = event['is_error'] === true;
      return [{ kind: 'tool_result', id: '', isError, output: inShort(event[isError ? 'error' : 'result']) }];
    }
    case 'result': {
      const outcome = event['is_error'] === true ? 'failed' : 'finished';
      return [{ kind: 'end', outcome, text: textOf(event['result']) }];
    }
    default:
      return [{ kind: 'progress' }];
  }
}
