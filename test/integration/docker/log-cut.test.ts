import assert from 'node:assert/strict';
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { pumpLogs, type LogPorts } from '../../../src/activities/turn/log-pump.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { withBottles } from './support/test-bottle.js';

describe('docker: the log of a turn whose worker was killed while it wrote', () => {
  const bottle = withBottles();

  it('goes on in the middle of the line that was cut: every line is there whole, and once', async () => {
    const { runtime, slug, dir } = bottle();
    await bottle().createBoth();
    await bottle().shell('for i in $(seq 1 50); do echo "line $i é"; done');
    const noSecret = (): Promise<string> => Promise.resolve('');
    const files = new LocalRunFiles({ home: join(dir, 'home'), forgeToken: noSecret, secret: noSecret });
    const log = { info: () => undefined, warn: () => undefined };
    const underWay = await UnderWayFiles.open(join(dir, 'home'));
    const ports: LogPorts = { files, runtime, log, underWay };
    const input = { slug, turn: 1, prepared: { provider: 'scripted' } } as RunTurnInput;
    const pump = async (): Promise<void> => {
      const journal = await TurnJournal.open(files, slug, 1, { now: Date.now });
      const { signal } = new AbortController();
      const link = { signal, onCaughtUp: () => undefined, onSetAside: () => assert.fail() };
      await pumpLogs(ports, input, journal, agentProvider('scripted').reader(), link);
    };
    await runtime.start(slug, 'agent');
    await pump();
    const file = join(dir, `home/state/${slug}/turns/1/agent.log`);
    const whole = await readFile(file);
    assert.match(whole.toString(), / line 50 é$/m);
    for (const cut of [1, 2, 12, 700, whole.length - 200]) {
      await truncate(file, whole.length - cut);
      await pump();
      assert.deepEqual((await readFile(file)).toString(), whole.toString(), `cut by ${String(cut)}`);
    }
  });
});
