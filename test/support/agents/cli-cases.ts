import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentProvider } from '../../../src/domain/agent/agent-provider.js';
import type { StreamSummary } from '../../../src/domain/agent/agent-stream.js';
import type { Answer, Fault, Step } from '../model-api/script.js';
import { CliBottle, type CliRun, type CliTurn } from './cli-bottle.js';

/** What a CLI is put through, and what its output must be understood as: by the real one, and from its recorded output. */
export interface CliCase {
  /** Of the recorded output. */
  readonly name: string;
  readonly what: string;
  readonly steps: readonly Step[];
  /** More than the first turn of a new session. */
  readonly turn?: CliTurn;
  /** A turn before it, whose output is not looked at. */
  readonly before?: CliTurn;
  readonly exitCode: number;
  readonly expected: Partial<StreamSummary> & Pick<StreamSummary, 'outcome'>;
  /** In the summary's error. */
  readonly error?: RegExp;
}

export const SESSION = '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94';
export const NO_SESSION = '019ad2b8-d5d8-7000-8000-000000000000';

/** The same answer to whatever is asked how often. */
export function always(reply: Answer | Fault): Step[] {
  return Array.from({ length: 12 }, () => ({ reply }));
}

/** Runs a case with the real CLI. */
export async function runCase(
  provider: AgentProvider,
  { steps, before, turn = {} }: CliCase,
): Promise<CliRun> {
  const bottle = await CliBottle.open(provider);
  try {
    bottle.api.script(...steps);
    const sessionId = provider.newSessionId('any') === null ? null : SESSION;
    if (before !== undefined) await bottle.turn({ sessionId, ...before });
    return await bottle.turn({ sessionId, ...turn });
  } finally {
    await bottle.close();
  }
}

const execute = promisify(execFile);

/** Containers and volumes of this kind of test that are there. */
export async function leftBottles(): Promise<string> {
  const filter = ['--filter', 'name=bb-cli-test-'];
  const [containers, volumes] = await Promise.all([
    execute('docker', ['ps', '-aq', ...filter]),
    execute('docker', ['volume', 'ls', '-q', ...filter]),
  ]);
  return `${containers.stdout}${volumes.stdout}`.trim();
}
