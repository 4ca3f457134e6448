import assert from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beating } from '../../src/activities/base/beating.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery } from '../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { timeSkipping, withWorkers, type AllActivities } from '../support/temporal/time-skipping.js';

type Prepare = AllActivities['prepareTurn'];

describe('a turn is prepared', function () {
  this.timeout(60_000);
  let environment: TestWorkflowEnvironment;
  let number = 700;

  before(async () => {
    environment = await timeSkipping();
  });
  after(async () => {
    await environment.teardown();
  });

  /** What a run's first turn came to. @param firstTry in the place of the first preparation */
  async function firstTurn(firstTry: Prepare | null): Promise<{
    readonly reason: string | null;
    readonly tries: number;
    /** Of them those that the server scheduled. */
    readonly scheduled: number;
  }> {
    const fake = new ScriptedActivities(() => ({
      run: () => Promise.resolve({ done: { id: 'd', status: 'success', summaryRef: 'r' } }),
    }));
    let tries = 0;
    const prepareTurn: Prepare = (input) => {
      tries += 1;
      return tries === 1 && firstTry !== null ? firstTry(input) : fake.activities.prepareTurn(input);
    };
    const subject = { ...SUBJECT, number: (number += 1) };
    const handle = environment.client.workflow.getHandle(workflowIdOf(subject));
    let reason: string | null = null;
    await withWorkers(environment, { ...fake.activities, prepareTurn }, async () => {
      const gateway = temporalGateway(environment.client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      await waitUntil(
        'a frozen run',
        async () => {
          const view = await handle.query(stateQuery);
          reason = view.reason;
          return view.phase === 'frozen';
        },
        30_000,
      );
      await handle.terminate();
    });
    return { reason, tries, scheduled: await scheduled(handle) };
  }

  async function scheduled(handle: WorkflowHandle): Promise<number> {
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'prepareTurn',
    ).length;
  }

  it('beside its workflow, which leaves one event', async () => {
    assert.deepEqual(await firstTurn(null), { reason: 'done', tries: 1, scheduled: 0 });
  });

  it('by the queue when that fails, where it is tried again', async () => {
    const away: Prepare = () => Promise.reject(new Error('the forge is away'));
    assert.deepEqual(await firstTurn(away), { reason: 'done', tries: 2, scheduled: 1 });
  });

  it('by the queue when that takes long', async () => {
    const slow: Prepare = () => beating(() => new Promise(() => undefined));
    assert.deepEqual(await firstTurn(slow), { reason: 'done', tries: 2, scheduled: 1 });
  });

  it('once, when what it found is final', async () => {
    const final: Prepare = () => Promise.reject(ApplicationFailure.nonRetryable('no such agent'));
    assert.deepEqual(await firstTurn(final), { reason: 'failed', tries: 1, scheduled: 0 });
  });
});
