/** Why an agent did not get to its end, for people. */
import type { AgentOutcome } from '../agent/agent-stream.js';
import type { AgentReport } from './turn.js';

/** By the exit code of its container's entrypoint, which prints to the log only. */
const NOT_STARTED: Readonly<Record<number, string>> = {
  120: 'its proxies could not be reached',
  121: 'its input was bad',
  122: 'git failed in its workspace',
  123: 'its sidecar did not answer',
  124: 'its program is not in the image',
  125: 'the setup of its bottle failed',
};

export function whyNotStarted({ outcome }: Pick<AgentReport, 'outcome'>, exitCode: number): string | null {
  const why = outcome === 'empty' ? NOT_STARTED[exitCode] : undefined;
  return why === undefined ? null : `the agent was not started: ${why}, as the log says`;
}

/** What the agent's CLI ended with, where that explains why the turn is not done. */
export const OUTCOME_TEXTS: Readonly<Record<AgentOutcome, string | null>> = {
  finished: null,
  stopped: null,
  unknown_session: 'the agent does not know its session',
  context_full: 'the session is too long for its model',
  provider: 'the model’s provider refused or failed',
  not_understood: 'the agent printed no events: its log says what it did',
  cut: 'the agent’s output ended in the middle',
  empty: 'the agent printed nothing',
  crashed: 'the agent crashed',
  failed: 'the agent says that it failed',
};
