import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery, type RunView } from '../../src/workflows/messages.js';
import { comment, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { withWorkers } from '../support/temporal/time-skipping.js';
import { send } from '../support/temporal/send.js';

/** On the real server. The numbers are the test's; `test/unit/workflows/history-limit.test.ts` has the real ones. */
describe('issueWorkflow whose history grows too long in one turn', function () {
  this.timeout(90_000);
  const server = localServer('limit.historyCount.suggestContinueAsNew=40');

  for (const [number, what, limit] of [
    [8_001, 'signals', { maxSignals: 40 }],
    [8_002, 'events', { maxEvents: 80 }],
  ] as const)
    it(`stops the turn with reason \`history\` for too many ${what}, and goes on in a new execution`, async () => {
      const { client } = server();
      const subject = { ...SUBJECT, number };
      const handle = client.workflow.getHandle(workflowIdOf(subject));
      const stateOf = (): Promise<RunView> => handle.query(stateQuery);
      const fake = new ScriptedActivities((turn) => ({
        run: async ({ slug }, activity) => {
          await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
          if (turn > 1) return { done: { id: 'd', status: 'success', summaryRef: 'r' } };
          const beats = setInterval(() => {
            activity.heartbeat();
          }, 200);
          await activity.cancelled.catch(() => undefined);
          clearInterval(beats);
          return { exitCode: 143 };
        },
      }));
      await withWorkers(server(), fake.activities, async () => {
        const gateway = temporalGateway(client, { policy: { ...DEFAULT_POLICY, ...limit } });
        const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
        await gateway.signalWithStart(subject, asked, { title: 'Busy', url: 'http://forge.invalid/1' });
        await waitUntil('the first turn', async () => (await stateOf()).phase === 'running', 30_000);
        const { runId } = await handle.describe();
        // Of another run: taken in, and nothing comes of it.
        const noise = { kind: 'turn_started', slug: 'another', turn: 1, at: 0 } as const;
        for (let sent = 0; sent < 10; sent += 1) await send(handle, noise);
        assert.equal((await stateOf()).phase, 'running');
        for (let sent = 0; sent < 40; sent += 1) await send(handle, noise);
        await waitUntil('the freeze', async () => (await stateOf()).phase === 'frozen', 30_000);
        const frozen = await stateOf();
        assert.deepEqual([frozen.turn, frozen.reason], [1, 'history']);
        await waitUntil('another execution', async () => (await handle.describe()).runId !== runId, 30_000);

        await send(handle, wrote(comment(1)));
        await waitUntil('the second turn', async () => (await stateOf()).reason === 'done', 30_000);
        assert.equal(fake.ran.length, 2);
        await handle.terminate();
      });
    });
});
