import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import type { PublishHereInput } from '../../src/activities/ports/inputs.js';
import type { PublishResult } from '../../src/domain/run/turn.js';
import { PUBLISHED } from '../support/machine/world.js';
import { DONE, withLife } from '../support/temporal/issue-life.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import { HOST, type AllActivities } from '../support/temporal/time-skipping.js';

const QUEUED = { kind: 'refused', reason: 'by the queue' } as const;

describe('an agent’s open_pr is published', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  /** What the agent hears, and what the server was told of it. */
  async function openPr(publishHere: AllActivities['publishHere']): Promise<{
    readonly answer: PublishResult | undefined;
    readonly scheduled: number;
  }> {
    let answer: PublishResult | undefined;
    let scheduled = NaN;
    await withLife(
      environment(),
      {
        activities: () => ({ publishWork: () => Promise.resolve(QUEUED), publishHere }),
        turn: async (life, input) => {
          answer = await life.openPr(input);
          return DONE;
        },
      },
      async (life) => {
        await life.frozen();
        scheduled = await life.scheduled('publishWork');
      },
    );
    return { answer, scheduled };
  }

  it('beside the workflow’s task, which is told whose the run is and when the task began', async () => {
    const asked: PublishHereInput[] = [];
    const before = await environment().currentTimeMs();
    const came = await openPr((input) => {
      asked.push(input);
      return Promise.resolve(PUBLISHED);
    });
    assert.deepEqual(came, { answer: PUBLISHED, scheduled: 0 });
    assert.deepEqual(
      asked.map(({ host, requestId }) => [host, requestId]),
      [[HOST, 'request1']],
    );
    const [{ taskBeganAt }] = asked as [PublishHereInput];
    assert.ok(before <= taskBeganAt && taskBeganAt <= (await environment().currentTimeMs()));
  });

  const elsewhere: Readonly<Record<string, AllActivities['publishHere']>> = {
    'that task is on another host': () => Promise.resolve(null),
    'that fails': () => Promise.reject(new Error('the forge is away')),
    'that takes long': untilCalledOff,
  };
  for (const [when, here] of Object.entries(elsewhere))
    it(`by the queue of the run’s host when ${when}`, async () => {
      assert.deepEqual(await openPr(here), { answer: QUEUED, scheduled: 1 });
    });

  it('not at all when what came of it is final', async () => {
    const final = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('may not push'));
    const reason = 'the publish gate failed: may not push';
    assert.deepEqual(await openPr(final), { answer: { kind: 'refused', reason }, scheduled: 0 });
  });
});
