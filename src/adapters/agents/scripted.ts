import { InvalidInputError } from '../../domain/errors.js';
import type { AgentLaunch, AgentProvider } from '../../domain/agent-provider.js';
import { isUuid, uuidV5 } from './uuid-v5.js';

/** Namespace of our session ids; any fixed UUID does. */
const SESSIONS = '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94';
/** A line longer than this is output, not an event. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** The deterministic agent of demos and tests; its command line is modelled on Claude Code's (facts of its headless mode). */
export const scripted: AgentProvider = {
  name: 'scripted',
  image: 'bot-bottle/agent-scripted:dev',
  sessionPaths: ['/home/agent/.scripted'],
  // From the seed, so that a repeated activity chooses the same session.
  newSessionId: (seed) => uuidV5(SESSIONS, seed),
  launch: ({ sessionId, resume, model, variant }): AgentLaunch => {
    if (model !== null)
      throw new InvalidInputError('provider scripted has no models: remove "model" from the agent');
    if (variant !== null)
      throw new InvalidInputError('provider scripted has no variants: remove "variant" from the agent');
    if (sessionId === null || !isUuid(sessionId)) {
      throw new InvalidInputError(`not a session of provider scripted: ${JSON.stringify(sessionId)}`);
    }
    return {
      argv: [
        '/usr/local/bin/node',
        '/opt/bottle/scripted-agent.mjs',
        '--output-format',
        'stream-json',
        resume ? '--resume' : '--session-id',
        sessionId,
      ],
      env: {},
    };
  },
  sessionIdIn: (line) => {
    if (line.length > MAX_EVENT_CHARACTERS || !line.includes('"session_id"')) return undefined;
    try {
      const event: unknown = JSON.parse(line);
      if (typeof event !== 'object' || event === null || !('session_id' in event)) return undefined;
      return typeof event.session_id === 'string' && isUuid(event.session_id) ? event.session_id : undefined;
    } catch {
      return undefined;
    }
  },
  isSessionId: isUuid,
};
