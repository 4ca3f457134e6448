import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery } from '../../src/workflows/messages.js';
import { comment, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import type { History } from '../support/temporal/histories.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { HOST, timeSkipping, withWorkers } from '../support/temporal/time-skipping.js';
import { send } from '../support/temporal/send.js';

const TURN = ['running', 'freezing', 'frozen'];

describe('BottlePhase in Temporal’s list', function () {
  this.timeout(60_000);
  let environment: TestWorkflowEnvironment;

  before(async () => {
    environment = await timeSkipping();
  });
  after(async () => {
    await environment.teardown();
  });

  async function live(number: number, soleHost: string | null): Promise<number> {
    const { client } = environment;
    const subject = { ...SUBJECT, number };
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const phaseIs = (wanted: string, turn = 0): Promise<void> =>
      waitUntil(`phase ${wanted}`, async () => {
        const view = await handle.query(stateQuery);
        return view.phase === wanted && view.turn >= turn;
      });
    const fake = new ScriptedActivities(() => ({
      run: async ({ slug, turn }: RunTurnInput) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        await phaseIs('running', turn);
        return { done: { id: `d${String(turn)}`, status: 'success', summaryRef: 'r' } };
      },
    }));
    fake.soleHost = soleHost;
    let claims = 0;
    const { claimHost } = fake.activities;
    const activities = { ...fake.activities, claimHost: () => ((claims += 1), claimHost()) };
    await withWorkers(environment, activities, async () => {
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await temporalGateway(client, { policy: DEFAULT_POLICY }).signalWithStart(subject, asked, {
        title: 'A life',
        url: 'http://forge.invalid/1',
      });
      await phaseIs('frozen', 1);
      await send(handle, wrote(comment(1)));
      await phaseIs('frozen', 2);
      await send(handle, observed({ readAt: 1_000, open: false, closedAt: 999 }));
      await handle.result();
    });
    assert.deepEqual(shownPhases(await handle.fetchHistory()), [
      ...['queued', 'launching', ...TURN],
      ...['rehydrating', ...TURN],
      ...['destroying', 'destroyed'],
    ]);
    return claims;
  }

  it('takes every phase of the diagram in its order, each once, and reads destroyed in the end', async () => {
    assert.equal(await live(9_100, HOST), 0, 'the only host is not claimed');
  });

  it('does so, too, where several hosts claim runs, once a run', async () => {
    assert.equal(await live(9_101, null), 1);
  });
});

/** What the start said and every upsert after it. */
function shownPhases({ events }: History): unknown[] {
  return (events ?? []).flatMap((event) => {
    const { searchAttributes } =
      event.workflowExecutionStartedEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      {};
    const payload = searchAttributes?.indexedFields?.['BottlePhase'];
    return payload === undefined ? [] : [defaultPayloadConverter.fromPayload<unknown>(payload)].flat();
  });
}
