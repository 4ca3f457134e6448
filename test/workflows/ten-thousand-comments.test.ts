import assert from 'node:assert/strict';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife, type LifeOptions } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { Gate } from '../support/temporal/proposing-run.js';

/** As the dispatcher sends them: decision 6 of the architecture. */
const IN_ONE_SIGNAL = 200;
/** Temporal ends a history at 50 MB; a tenth of that is far away from it. */
const HISTORY_BYTES = 5_000_000;

/** On the real server, with its real limits but one: it suggests continue-as-new sooner. */
describe('ten thousand comments on one issue', function () {
  this.timeout(120_000);
  const server = localServer('limit.historyCount.suggestContinueAsNew=500');

  it('become one prompt of the newest, stay within the server’s limits, and are known in the next execution', async () => {
    const end = new Gate();
    const turn: LifeOptions['turn'] = async (_life, { turn: at }) => {
      if (at === 1) await end.opened;
      return DONE;
    };
    await withLife(server(), { turn }, async (life) => {
      const { fake, handle } = life;
      await life.running();
      for (let from = 1; from <= 10_000; from += IN_ONE_SIGNAL) {
        await life.comments(...Array.from({ length: IN_ONE_SIGNAL }, (_, index) => from + index));
      }
      const { historySize = Infinity } = await handle.describe();
      assert.ok(historySize < HISTORY_BYTES, `${String(historySize)} bytes of history`);
      end.open();
      await waitUntil('the second turn', () => fake.prepared.length === 2, 30_000);
      const { references, omitted } = fake.prepared[1] ?? { references: [], omitted: 0 };
      assert.deepEqual([references.length, omitted, references.at(-1)?.id], [1_000, 9_000, 10_000]);
      await life.frozen(2);

      // Paused, so that nothing wakes it: each of these is a signal of its own, and the history is cut on the way.
      await life.order({ kind: 'freeze' });
      const before = await life.runId();
      for (let from = 20_000; from < 21_500; from += 50) {
        const ids = Array.from({ length: 50 }, (_, index) => from + index);
        await Promise.all(ids.map((id) => life.comments(id)));
      }
      await life.continuedAsNew(before);
      await life.until('all of them', ({ mailbox }) => mailbox === 1_000);
      // Taken in before the cut, and in the prompt before that: neither comes again.
      await life.comments(20_001, 10_000, 9_999);
      await life.order({ kind: 'resume', promptRef: null });
      await waitUntil('the third turn', () => fake.prepared.length === 3, 30_000);
      const third = fake.prepared[2];
      assert.deepEqual([third?.references.length, third?.omitted], [1_000, 500]);
      const ids = third?.references.map(({ id }) => id) ?? [];
      assert.ok(ids.includes(21_499) && ids.every((id) => id > 20_001));
    });
  });
});
