import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { pumpLogs, type LogPorts } from '../../../../src/activities/turn/log-pump.js';
import { TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import type { RunFilesOptions } from '../../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../../src/adapters/files/under-way.js';
import { runFilesIn } from '../../../support/files/run-files-in.js';
import type { TestBottle } from './test-bottle.js';

/** The log of a bottle's first turn as a worker writes it: each call of `pump` is another worker's, until the agent ends. */
export async function pumpedLog(
  { runtime, slug, dir }: TestBottle,
  options: Partial<RunFilesOptions> = {},
): Promise<{ readonly file: string; readonly pump: () => Promise<void> }> {
  const home = join(dir, 'home');
  const files = runFilesIn(home, options);
  const log = { info: () => undefined, warn: () => undefined };
  const ports: LogPorts = { files, runtime, log, underWay: await UnderWayFiles.open(home) };
  const input = { slug, turn: 1, prepared: { provider: 'scripted' } } as RunTurnInput;
  const pump = async (): Promise<void> => {
    const journal = await TurnJournal.open(files, slug, 1, { now: Date.now });
    const { signal } = new AbortController();
    const link = { signal, onCaughtUp: () => undefined, onSetAside: () => assert.fail() };
    await pumpLogs(ports, input, journal, agentProvider('scripted').reader(), link);
  };
  return { file: join(home, `state/${slug}/turns/1/agent.log`), pump };
}
