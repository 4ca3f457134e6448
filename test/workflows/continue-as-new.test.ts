import assert from 'node:assert/strict';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery } from '../../src/workflows/messages.js';
import { comment, modelReport, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { withWorkers } from '../support/temporal/time-skipping.js';
import { send } from '../support/temporal/send.js';

/** So few that every turn goes beyond them; 4,096 where nobody says otherwise. */
const SUGGESTED_AT = 20;
const subject = { ...SUBJECT, number: 8_000 };

describe('issueWorkflow whose history the server finds long enough', function () {
  this.timeout(60_000);
  const server = localServer(`limit.historyCount.suggestContinueAsNew=${String(SUGGESTED_AT)}`);

  it('goes on in a new execution between turns: same run, same session, nothing taken in twice', async () => {
    const { client } = server();
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities(() => ({
      run: async ({ slug, turn }: RunTurnInput) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        return { done: { id: `d${String(turn)}`, status: 'success', summaryRef: 'r' } };
      },
    }));
    await withWorkers(server(), fake.activities, async () => {
      const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      const first = (await handle.describe()).runId;
      const isAnother = (than: string) => async (): Promise<boolean> =>
        (await handle.describe()).runId !== than;
      await waitUntil('a second execution', isAnother(first), 30_000);
      const second = (await handle.describe()).runId;
      assert.equal(
        (await client.workflow.getHandle(workflowIdOf(subject), first).describe()).status.name,
        'CONTINUED_AS_NEW',
      );
      const frozen = await handle.query(stateQuery);
      assert.deepEqual([frozen.phase, frozen.reason, frozen.turn], ['frozen', 'done', 1]);

      for (let time = 0; time < 2; time += 1) await send(handle, wrote(comment(1)));
      await waitUntil('a third execution', isAnother(second), 30_000);
      // What was taken in before the cut is known after it.
      await send(handle, wrote(comment(1)));
      const view = await handle.query(stateQuery);
      assert.deepEqual([view.phase, view.turn, view.slug], ['frozen', 2, frozen.slug]);
      assert.deepEqual(
        fake.ran.map(({ slug, sessionId }) => [slug, sessionId]),
        [
          [frozen.slug, null],
          [frozen.slug, 's'],
        ],
      );
      assert.deepEqual(
        fake.prepared.map(({ references }) => references.length),
        [0, 1],
      );
      await handle.terminate();
    });
  });

  it('goes on sleeping in the new execution, to the same time', async () => {
    const { client } = server();
    const subject = { ...SUBJECT, number: 8_001 };
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const until = Date.now() + 8_000;
    const fake = new ScriptedActivities((turn) => ({
      run: async ({ slug }: RunTurnInput) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        if (turn === 1) return { exitCode: 1, model: modelReport(1, 0, { kind: 'limited', until }) };
        return { done: { id: 'd', status: 'success', summaryRef: 'r' } };
      },
    }));
    await withWorkers(server(), fake.activities, async () => {
      const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      const first = (await handle.describe()).runId;
      await waitUntil('another execution', async () => (await handle.describe()).runId !== first, 30_000);
      assert.equal((await handle.query(stateQuery)).resumeAt, until);
      assert.equal(fake.ran.length, 1);
      await waitUntil('the second turn', () => fake.ran.length === 2, 30_000);
      assert.ok(Date.now() >= until);
      await handle.terminate();
    });
  });
});
