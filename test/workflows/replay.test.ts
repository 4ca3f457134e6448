import assert from 'node:assert/strict';
import { savedHistories } from '../support/temporal/histories.js';
import { allReplayed, replayed, type Replayed } from '../support/temporal/replayed.js';
import { quietRuntime, workflowBundle } from '../support/temporal/time-skipping.js';

/** They come in the order in which the worker is through with them. */
function sorted(all: readonly Replayed[]): Replayed[] {
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function withoutDifference(histories: readonly { readonly name: string }[]): Replayed[] {
  return sorted(histories.map(({ name }) => ({ name, error: undefined })));
}

/** Record anew with `npm run record:histories`, only where the change to the workflow is not meant to be compatible. */
describe('committed histories', function () {
  this.timeout(120_000);

  before(() => {
    quietRuntime();
  });

  it('replay without a difference, each of them', async () => {
    const histories = await savedHistories();
    assert.ok(histories.length >= 10, `only ${String(histories.length)} histories`);
    assert.deepEqual(sorted(await allReplayed(histories)), withoutDifference(histories));
  });

  it('replay as well where runs are traced', async () => {
    const histories = await savedHistories();
    assert.deepEqual(
      sorted(await allReplayed(histories, workflowBundle({ traces: true }))),
      withoutDifference(histories),
    );
  });

  it('would not replay if two activities changed places', async () => {
    const [life] = (await savedHistories()).filter(({ name }) => name.endsWith('/whole-life-1'));
    assert.ok(life !== undefined);
    const scheduled = (life.history.events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes ?? [],
    );
    const [first, second] = scheduled;
    assert.ok(first?.activityType && second?.activityType);
    [first.activityType, second.activityType] = [second.activityType, first.activityType];
    const error = await replayed('reordered', life.history);
    assert.match(String(error), /[Nn]ondeterminism|DeterminismViolation/);
  });
});
