import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopLagFile } from '../../../../src/adapters/files/loop-lag-file.js';
import { createLogger } from '../../../../src/config/log.js';
import { keepLoopLag } from '../../../../src/wiring/worker/keep-loop-lag.js';
import { RunningActivities } from '../../../../src/wiring/worker/running-activities.js';

describe('the lag of the worker’s event loop', () => {
  it('is logged with what ran, and written down for doctor', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bot-bottle-lag-'));
    const lines: string[] = [];
    const ending = new AbortController();
    const logged = new Promise<void>((resolve) => {
      const write = (line: string): void => {
        lines.push(line);
        resolve();
      };
      const log = createLogger({
        level: 'warn',
        name: 'worker',
        secrets: () => new Set(),
        destination: { write },
      });
      const underWay = new RunningActivities();
      const { settleTurn } = underWay.watch({
        settleTurn: async (input: { readonly slug: string }): Promise<string> => {
          await new Promise((done) => setTimeout(done, 50));
          const end = performance.now() + 1_300;
          while (performance.now() < end);
          return input.slug;
        },
      });
      void keepLoopLag(home, underWay, log, ending.signal);
      void settleTurn({ slug: 'demo-1' });
    });
    try {
      await logged;
      const { msg, underWay, lagMs } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
      assert.equal(msg, 'the event loop stood still');
      assert.deepEqual(underWay, ['settleTurn of demo-1']);
      assert.ok(Number(lagMs) > 1_000);
      let written = await loopLagFile(home).read();
      while (written === undefined) written = await loopLagFile(home).read();
      assert.deepEqual(written.worst?.underWay, ['settleTurn of demo-1']);
    } finally {
      ending.abort();
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('an activity that is watched answers and fails as it would', async () => {
    const underWay = new RunningActivities();
    const { good, bad } = underWay.watch({
      good: (number: number) => Promise.resolve(number + 1),
      bad: () => Promise.reject(new Error('no')),
    });
    assert.equal(await good(1), 2);
    await assert.rejects(bad(), /^Error: no$/);
    assert.deepEqual(underWay.since(), ['bad', 'good']);
    assert.deepEqual(underWay.since(), []);
  });
});
