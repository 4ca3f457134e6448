import assert from 'node:assert/strict';
import { activityInfo } from '@temporalio/activity';
import { beating } from '../../src/activities/base/beating.js';
import { typedFailures } from '../../src/activities/base/failures.js';
import { settling } from '../../src/activities/host-activities.js';
import { temporalRunChannel } from '../../src/adapters/temporal/run-channel.js';
import { BottleRuntimeError } from '../../src/domain/base/errors.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife, type IssueLife, type LifeOptions } from '../support/temporal/issue-life.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { untilCalledOff, type ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import type { AllActivities } from '../support/temporal/time-skipping.js';

const MOST_MS = 30_000;

function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe('the end of a run while something is under way, on the time-skipping server', function () {
  this.timeout(90_000);
  const environment = timeSkipping();

  /** A run that is to reach the place that these activities make it stay at. */
  const run = (
    activities: (fake: ScriptedActivities) => Partial<AllActivities>,
    work: (life: IssueLife) => Promise<void>,
    turn: LifeOptions['turn'] = () => DONE,
  ): Promise<void> => withLife(environment(), { activities, turn }, work);

  const close = (life: IssueLife): Promise<unknown> => life.close();
  const destroy = (life: IssueLife): Promise<unknown> => life.destroy();

  async function endsBy(end: (life: IssueLife) => Promise<unknown>, life: IssueLife): Promise<void> {
    const before = await environment().currentTimeMs();
    await end(life);
    const took = (await environment().currentTimeMs()) - before;
    assert.ok(took <= MOST_MS, `the end took ${String(took)} ms`);
  }

  for (const [way, end] of Object.entries({ close, destroy }))
    it(`${way} calls a settle off that never ends, and the turn has its rows`, async () => {
      let attempts = 0;
      await run(
        () => ({
          freezeBottle: () =>
            beating(() => {
              attempts += 1;
              return never();
            }),
        }),
        async (life) => {
          await waitUntil('the settle', () => attempts === 1);
          await endsBy(end, life);
          assert.equal(life.fake.destroyed.length, 1);
          assert.deepEqual(
            life.fake.recorded.map(({ turn }) => turn),
            [1],
          );
          assert.equal(attempts, 1);
        },
      );
    });

  it('does not wait for a settle that does not hear that it is called off', async () => {
    let isSettling = false;
    const end = new Gate();
    await run(
      () => ({
        freezeBottle: async () => {
          isSettling = true;
          await end.opened;
          throw new Error('nobody waits for this');
        },
      }),
      async (life) => {
        await waitUntil('the settle', () => isSettling);
        await endsBy(destroy, life);
        assert.equal(life.fake.destroyed.length, 1);
        end.open();
      },
    );
  });

  it('calls a preparation off that never ends', async () => {
    let isPreparing = false;
    await run(
      () => ({
        prepareTurn: () =>
          beating(() => {
            isPreparing = true;
            return never();
          }),
      }),
      async (life) => {
        await waitUntil('the preparation', () => isPreparing);
        await endsBy(destroy, life);
        assert.equal(life.fake.ran.length, 0);
      },
    );
  });

  it('calls a publication off, and the agent that asked hears that the run ends', async () => {
    let isPublishing = false;
    let answer: Promise<unknown> | undefined;
    await run(
      () => ({
        publishHere: () => Promise.resolve(null),
        publishWork: () =>
          beating(() => {
            isPublishing = true;
            return never();
          }),
      }),
      async (life) => {
        await waitUntil('the publication', () => isPublishing);
        await endsBy(close, life);
        assert.equal(life.fake.destroyed.length, 1);
        assert.deepEqual(await answer, { kind: 'refused', reason: 'the run is ending' });
      },
      async (life, input) => {
        answer = life.openPr(input);
        // Stopped by the close, as a watched turn is.
        await untilCalledOff().catch(() => undefined);
        return DONE;
      },
    );
  });

  it('answers an open_pr that comes while the run ends, and the turn has its rows', async () => {
    let isWorking = false;
    let answer: unknown;
    await run(
      () => ({}),
      async (life) => {
        await waitUntil('the turn', () => isWorking);
        await endsBy(close, life);
        assert.deepEqual(answer, { kind: 'refused', reason: 'this turn is over' });
        assert.deepEqual(
          life.fake.recorded.map(({ turn }) => turn),
          [1],
        );
      },
      async (life, { slug, turn }) => {
        isWorking = true;
        await untilCalledOff().catch(() => undefined);
        const request = { slug, turn, requestId: 'request2', contentRef: 'c'.repeat(64) };
        answer = await temporalRunChannel(life.client).openPr(life.handle.workflowId, request);
        return DONE;
      },
    );
  });

  it('settles at most three times what fails here, and says why', async () => {
    let tries = 0;
    await run(
      () =>
        typedFailures({
          freezeBottle: () =>
            settling(() => {
              tries += 1;
              return Promise.reject(new Error(`EIO: try ${String(tries)}`));
            }),
        }),
      async (life) => {
        const { reason, detail } = await life.frozen();
        assert.deepEqual([reason, detail, tries], ['failed', 'EIO: try 3', 3]);
        await life.destroy();
      },
    );
  });

  it('waits for an engine that is away, and destroy does not wait with it', async () => {
    let attempt = 0;
    await run(
      () =>
        typedFailures({
          freezeBottle: () =>
            settling(() => {
              attempt = activityInfo().attempt;
              return Promise.reject(new BottleRuntimeError('no engine', true, { away: true }));
            }),
        }),
      async (life) => {
        await waitUntil('more than three attempts', () => attempt > 3, 30_000);
        assert.equal((await life.view()).phase, 'freezing');
        await endsBy(destroy, life);
        assert.equal(life.fake.destroyed.length, 1);
      },
    );
  });

  it('goes on destroying while the engine is away', async () => {
    let attempts = 0;
    await run(
      (fake) =>
        typedFailures({
          destroyBottle: async (run) => {
            attempts += 1;
            if (attempts < 4) throw new BottleRuntimeError('no engine', true, { away: true });
            return fake.activities.destroyBottle(run);
          },
        }),
      async (life) => {
        await life.frozen();
        await life.destroy();
        assert.deepEqual([attempts, life.fake.destroyed.length], [4, 1]);
        assert.equal((await life.timeline()).at(-1), 'destroyed');
      },
    );
  });
});
