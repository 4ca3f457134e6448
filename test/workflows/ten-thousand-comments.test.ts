import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery } from '../../src/workflows/messages.js';
import { comment, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { withWorkers } from '../support/temporal/time-skipping.js';
import { order, send } from '../support/temporal/send.js';

const subject = { ...SUBJECT, number: 10_000 };
/** As the dispatcher sends them: decision 6 of the architecture. */
const IN_ONE_SIGNAL = 200;
/** Temporal ends a history at 50 MB; a tenth of that is far away from it. */
const HISTORY_BYTES = 5_000_000;

/** On the real server, with its real limits but one: it suggests continue-as-new sooner. */
describe('ten thousand comments on one issue', function () {
  this.timeout(120_000);
  const server = localServer('limit.historyCount.suggestContinueAsNew=500');

  it('become one prompt of the newest, stay within the server’s limits, and are known in the next execution', async () => {
    const { client } = server();
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const fake = new ScriptedActivities((turn) => ({
      run: async ({ slug }) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        if (turn === 1) await held;
        return { done: { id: `d${String(turn)}`, status: 'success', summaryRef: 'r' } };
      },
    }));
    await withWorkers(server(), fake.activities, async () => {
      const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'Busy', url: 'http://forge.invalid/1' });
      await waitUntil('the first turn', () => fake.ran.length === 1, 30_000);
      for (let from = 1; from <= 10_000; from += IN_ONE_SIGNAL) {
        const some = Array.from({ length: IN_ONE_SIGNAL }, (_, index) => comment(from + index));
        await gateway.signal(subject, wrote(...some));
      }
      const { historySize = Infinity } = await handle.describe();
      assert.ok(historySize < HISTORY_BYTES, `${String(historySize)} bytes of history`);
      letGo();
      await waitUntil('the second turn', () => fake.prepared.length === 2, 30_000);
      const { references, omitted } = fake.prepared[1] ?? { references: [], omitted: 0 };
      assert.deepEqual([references.length, omitted, references.at(-1)?.id], [1_000, 9_000, 10_000]);
      await waitUntil('its freeze', async () => (await handle.query(stateQuery)).phase === 'frozen', 30_000);

      // Paused, so that nothing wakes it: each of these is a signal of its own, and the history is cut on the way.
      await order(handle, { kind: 'freeze' });
      const before = (await handle.describe()).runId;
      for (let from = 20_000; from < 21_500; from += 50) {
        const ids = Array.from({ length: 50 }, (_, index) => from + index);
        await Promise.all(ids.map((id) => send(handle, wrote(comment(id)))));
      }
      const cut = async (): Promise<boolean> => (await handle.describe()).runId !== before;
      await waitUntil('another execution', cut, 30_000);
      await waitUntil('all of them', async () => (await handle.query(stateQuery)).mailbox === 1_000, 30_000);
      // Taken in before the cut, and in the prompt before that: neither comes again.
      await send(handle, wrote(comment(20_001), comment(10_000), comment(9_999)));
      await order(handle, { kind: 'resume', promptRef: null });
      await waitUntil('the third turn', () => fake.prepared.length === 3, 30_000);
      const third = fake.prepared[2];
      assert.deepEqual([third?.references.length, third?.omitted], [1_000, 500]);
      const ids = third?.references.map(({ id }) => id) ?? [];
      assert.ok(ids.includes(21_499) && ids.every((id) => id > 20_001));
      await handle.terminate();
    });
  });
});
