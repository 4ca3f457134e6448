import assert from 'node:assert/strict';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { setUpNamespace } from '../../src/adapters/temporal/set-up-namespace.js';
import { workflowIdOf } from '../../src/domain/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run-policy.js';
import { temporalGateway } from '../../src/webhook/temporal-gateway.js';
import { eventSignal, stateQuery, type RunView } from '../../src/workflows/messages.js';
import { comment, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { temporalCli } from '../support/temporal/binaries.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { quietRuntime, withWorkers } from '../support/temporal/time-skipping.js';

const subject = { ...SUBJECT, number: 8_001 };
const AT_ONCE = 200;

/** On the real server, which ends an execution at 10,000 signals whatever runs in it. */
describe('issueWorkflow whose turn goes on for too many signals', function () {
  this.timeout(180_000);
  let environment: TestWorkflowEnvironment;

  before(async () => {
    quietRuntime();
    environment = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'existing-path', path: temporalCli() } },
    });
    await setUpNamespace(environment.client);
  });
  after(async () => {
    await environment.teardown();
  });

  it('stops the turn with reason `history`, and goes on in a new execution when it is woken', async () => {
    const { client } = environment;
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities((turn) => ({
      run: async ({ slug }, activity) => {
        await handle.signal(eventSignal, { kind: 'turn_started', slug, turn, at: 0 });
        if (turn > 1) return { done: { id: 'd', status: 'success', summaryRef: 'r' } };
        const beats = setInterval(() => {
          activity.heartbeat();
        }, 200);
        await new Promise((resolve) => activity.cancellationSignal.addEventListener('abort', resolve));
        clearInterval(beats);
        return { exitCode: 143 };
      },
    }));
    await withWorkers(environment, fake.activities, async () => {
      const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'Busy', url: 'http://forge.invalid/1' });
      await waitUntil('the first turn', () => fake.ran.length === 1, 30_000);
      const { runId } = await handle.describe();
      const stateOf = (): Promise<RunView> => handle.query(stateQuery);
      let sent = 0;
      // Of another run: taken in, and nothing comes of it.
      const noise = { kind: 'turn_started', slug: 'another', turn: 1, at: 0 } as const;
      while (sent < 7_800) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => handle.signal(eventSignal, noise)));
        sent += AT_ONCE;
      }
      assert.equal((await stateOf()).phase, 'running');
      await Promise.all(Array.from({ length: AT_ONCE }, () => handle.signal(eventSignal, noise)));
      await waitUntil('the freeze', async () => (await stateOf()).phase === 'frozen', 60_000);
      const frozen = await stateOf();
      assert.deepEqual([frozen.turn, frozen.reason], [1, 'history']);
      await waitUntil('another execution', async () => (await handle.describe()).runId !== runId, 30_000);

      await handle.signal(eventSignal, wrote(comment(1)));
      await waitUntil('the second turn', async () => (await stateOf()).reason === 'done', 30_000);
      assert.equal(fake.ran.length, 2);
      await handle.terminate();
    });
  });
});
