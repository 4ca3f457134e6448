import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import type { History } from '../support/temporal/histories.js';
import { DONE, withLife } from '../support/temporal/issue-life.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import { HOST } from '../support/temporal/time-skipping.js';

const TURN = ['running', 'freezing', 'frozen'];

describe('BottlePhase in Temporal’s list', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  /** Resolves with the number of times that a host was claimed. */
  async function live(soleHost: string | null): Promise<number> {
    let claims = 0;
    await withLife(
      environment(),
      {
        given: { soleHost },
        turn: async (life, { turn }) => {
          await life.running(turn);
          return DONE;
        },
        activities: ({ activities: { claimHost } }) => ({ claimHost: () => ((claims += 1), claimHost()) }),
      },
      async (life) => {
        await life.frozen();
        await life.comments(1);
        await life.frozen(2);
        await life.close();
        assert.deepEqual(shownPhases(await life.handle.fetchHistory()), [
          ...['queued', 'launching', ...TURN],
          ...['rehydrating', ...TURN],
          ...['destroying', 'destroyed'],
        ]);
      },
    );
    return claims;
  }

  it('takes every phase of the diagram in its order, each once, and reads destroyed in the end', async () => {
    assert.equal(await live(HOST), 0, 'the only host is not claimed');
  });

  it('does so, too, where several hosts claim runs, once a run', async () => {
    assert.equal(await live(null), 1);
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
