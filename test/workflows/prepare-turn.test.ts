import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { withLife } from '../support/temporal/issue-life.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import type { AllActivities } from '../support/temporal/time-skipping.js';

type Prepare = AllActivities['prepareTurn'];

describe('a turn is prepared', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  /** What a run's first turn came to. @param firstTry in the place of the first preparation */
  async function firstTurn(firstTry: Prepare | null): Promise<{
    readonly reason: string | null;
    readonly tries: number;
    /** Of them those that the server scheduled. */
    readonly scheduled: number;
  }> {
    let tries = 0;
    let reason: string | null = null;
    let scheduled = NaN;
    const activities = (fake: { readonly activities: AllActivities }): { prepareTurn: Prepare } => ({
      prepareTurn: (input) => {
        tries += 1;
        return tries === 1 && firstTry !== null ? firstTry(input) : fake.activities.prepareTurn(input);
      },
    });
    await withLife(environment(), { activities }, async (life) => {
      ({ reason } = await life.frozen());
      scheduled = await life.scheduled('prepareTurn');
    });
    return { reason, tries, scheduled };
  }

  it('beside its workflow, which leaves one event', async () => {
    assert.deepEqual(await firstTurn(null), { reason: 'done', tries: 1, scheduled: 0 });
  });

  it('by the queue when that fails, where it is tried again', async () => {
    const away: Prepare = () => Promise.reject(new Error('the forge is away'));
    assert.deepEqual(await firstTurn(away), { reason: 'done', tries: 2, scheduled: 1 });
  });

  it('by the queue when that takes long, which the first try is told', async () => {
    let signal: AbortSignal | undefined;
    const slow: Prepare = () => {
      signal = Context.current().cancellationSignal;
      return untilCalledOff();
    };
    assert.deepEqual(await firstTurn(slow), { reason: 'done', tries: 2, scheduled: 1 });
    assert.equal(signal?.aborted, true);
  });

  it('once, when what it found is final', async () => {
    const final: Prepare = () => Promise.reject(ApplicationFailure.nonRetryable('no such agent'));
    assert.deepEqual(await firstTurn(final), { reason: 'failed', tries: 1, scheduled: 0 });
  });
});
