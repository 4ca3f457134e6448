import assert from 'node:assert/strict';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beating } from '../../src/activities/base/beating.js';
import { settling } from '../../src/activities/host-activities.js';
import { typedFailures } from '../../src/activities/base/failures.js';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { BottleRuntimeError } from '../../src/domain/base/errors.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { openPrUpdate, stateQuery, timelineQuery } from '../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { timeSkipping, withWorkers, type AllActivities } from '../support/temporal/time-skipping.js';
import { order, send } from '../support/temporal/send.js';

const done = { done: { id: 'd', status: 'success', summaryRef: 'r' } } as const;
const CLOSED = observed({ readAt: 1_000, open: false, closedAt: 999 });
const MOST_MS = 30_000;

function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe('the end of a run while something is under way, on the time-skipping server', function () {
  this.timeout(90_000);
  let environment: TestWorkflowEnvironment;
  let number = 500;

  before(async () => {
    environment = await timeSkipping();
  });
  after(async () => {
    await environment.teardown();
  });

  /** A run that was triggered and is to reach the place that `activities` make it stay at. */
  async function withRun(
    change: (fake: ScriptedActivities) => Partial<AllActivities>,
    work: (handle: WorkflowHandle, fake: ScriptedActivities) => Promise<void>,
    run: (input: RunTurnInput, handle: WorkflowHandle) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const subject = { ...SUBJECT, number: (number += 1) };
    const handle = environment.client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities(() => ({
      run: async (input) => {
        await run(input, handle);
        return done;
      },
    }));
    await withWorkers(environment, { ...fake.activities, ...change(fake) }, async () => {
      const gateway = temporalGateway(environment.client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      await work(handle, fake);
    });
  }

  const close = (handle: WorkflowHandle): Promise<unknown> => send(handle, CLOSED);
  const destroy = (handle: WorkflowHandle): Promise<unknown> => order(handle, { kind: 'destroy' });

  async function endsBy(
    end: (handle: WorkflowHandle) => Promise<unknown>,
    handle: WorkflowHandle,
    fake: ScriptedActivities,
  ): Promise<void> {
    const before = await environment.currentTimeMs();
    await Promise.all([end(handle), handle.result()]);
    const took = (await environment.currentTimeMs()) - before;
    assert.ok(took <= MOST_MS, `the end took ${String(took)} ms`);
    assert.equal(fake.destroyed.length, 1);
  }

  for (const [way, end] of Object.entries({ close, destroy }))
    it(`${way} calls a settle off that never ends, and the turn has its rows`, async () => {
      let attempts = 0;
      await withRun(
        () => ({
          freezeBottle: () =>
            beating(() => {
              attempts += 1;
              return never();
            }),
        }),
        async (handle, fake) => {
          await waitUntil('the settle', () => attempts === 1);
          await endsBy(end, handle, fake);
          assert.deepEqual(
            fake.recorded.map(({ turn }) => turn),
            [1],
          );
          assert.equal(attempts, 1);
        },
      );
    });

  it('does not wait for a settle that does not hear that it is called off', async () => {
    let isSettling = false;
    let release = (): void => undefined;
    await withRun(
      () => ({
        freezeBottle: async () => {
          isSettling = true;
          await new Promise<void>((resolve) => (release = resolve));
          throw new Error('nobody waits for this');
        },
      }),
      async (handle, fake) => {
        await waitUntil('the settle', () => isSettling);
        await endsBy(destroy, handle, fake);
        release();
      },
    );
  });

  it('calls a preparation off that never ends', async () => {
    let isPreparing = false;
    await withRun(
      () => ({
        prepareTurn: () =>
          beating(() => {
            isPreparing = true;
            return never();
          }),
      }),
      async (handle, fake) => {
        await waitUntil('the preparation', () => isPreparing);
        const before = await environment.currentTimeMs();
        await Promise.all([destroy(handle), handle.result()]);
        assert.ok((await environment.currentTimeMs()) - before <= MOST_MS);
        assert.equal(fake.ran.length, 0);
      },
    );
  });

  it('calls a publication off, and the agent that asked hears that the run ends', async () => {
    let isPublishing = false;
    let answer: Promise<unknown> | undefined;
    await withRun(
      () => ({
        publishWork: () =>
          beating(() => {
            isPublishing = true;
            return never();
          }),
      }),
      async (handle, fake) => {
        await waitUntil('the publication', () => isPublishing);
        await endsBy(close, handle, fake);
        assert.deepEqual(await answer, { kind: 'refused', reason: 'the run is ending' });
      },
      async ({ slug, turn }, handle) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        const request = { slug, turn, requestId: 'r1', contentRef: 'c' };
        answer = handle.executeUpdate(openPrUpdate, { args: [request] });
        // Stopped by the close, as a watched turn is.
        await beating(never).catch(() => undefined);
      },
    );
  });

  it('settles at most three times what fails here, and says why', async () => {
    let tries = 0;
    await withRun(
      () => ({
        freezeBottle: () =>
          settling(() => {
            tries += 1;
            return Promise.reject(new Error(`EIO: try ${String(tries)}`));
          }),
      }),
      async (handle) => {
        await waitUntil(
          'the frozen run',
          async () => (await handle.query(stateQuery)).phase === 'frozen',
          30_000,
        );
        const { reason, detail } = await handle.query(stateQuery);
        assert.deepEqual([reason, detail, tries], ['failed', 'EIO: try 3', 3]);
        await Promise.all([destroy(handle), handle.result()]);
      },
    );
  });

  it('waits for an engine that is away, and destroy does not wait with it', async () => {
    let attempt = 0;
    await withRun(
      () => ({
        freezeBottle: () =>
          settling(() => {
            attempt = activityInfo().attempt;
            return Promise.reject(new BottleRuntimeError('no engine', true, { away: true }));
          }),
      }),
      async (handle, fake) => {
        await waitUntil('more than three attempts', () => attempt > 3, 30_000);
        assert.equal((await handle.query(stateQuery)).phase, 'freezing');
        await endsBy(destroy, handle, fake);
      },
    );
  });

  it('goes on destroying while the engine is away', async () => {
    let attempts = 0;
    await withRun(
      (fake) => ({
        destroyBottle: (run) =>
          typedFailures(() => {
            attempts += 1;
            if (attempts < 4) throw new BottleRuntimeError('no engine', true, { away: true });
            return fake.activities.destroyBottle(run);
          }),
      }),
      async (handle, fake) => {
        await waitUntil(
          'the frozen run',
          async () => (await handle.query(stateQuery)).phase === 'frozen',
          30_000,
        );
        await Promise.all([destroy(handle), handle.result()]);
        assert.deepEqual([attempts, fake.destroyed.length], [4, 1]);
        const notes = await handle.query(timelineQuery);
        assert.equal(notes.at(-1)?.what, 'destroyed');
      },
    );
  });
});
