import assert from 'node:assert/strict';
import { Runtime } from '@temporalio/worker';
import { bundleWorkflows } from '../../src/adapters/temporal/workflow-source.js';
import { savedHistories } from '../support/temporal/histories.js';
import { replayed } from '../support/temporal/replayed.js';
import { quietRuntime } from '../support/temporal/time-skipping.js';

/** Record anew with `npm run record:histories`, only where the change to the workflow is not meant to be compatible. */
describe('committed histories', function () {
  this.timeout(120_000);

  before(() => {
    quietRuntime();
  });

  it('replay without a difference, each of them', async () => {
    const histories = await savedHistories();
    assert.ok(histories.length >= 10, `only ${String(histories.length)} histories`);
    for (const { name, history } of histories) assert.equal(await replayed(name, history), undefined, name);
  });

  it('replay as well where runs are traced', async () => {
    const traces = bundleWorkflows({ encrypts: false, traces: true }, Runtime.instance().logger);
    for (const { name, history } of await savedHistories())
      assert.equal(await replayed(name, history, traces), undefined, name);
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
