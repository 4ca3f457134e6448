import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createHostActivities } from '../../../src/activities/host-activities.js';
import { stepOfChange } from '../../../src/activities/base/work-of-run.js';
import { keptChanges } from '../../../src/activities/setup/kept-changes.js';
import { Attachments } from '../../../src/activities/turn/attachments.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { diesTwice } from '../../support/files/dies-twice.js';
import { SLUG, useHostWorld } from '../../support/host/host-world.js';
import { shownProposal } from '../../support/supervise/shown.js';

const BEGAN = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
/** What the disk may be behind. */
const BEHIND_MS = 5_000;

describe('the last check-in of an agent', () => {
  const world = useHostWorld();

  it('is as old as the clock says, and no older than the worker, or than the machine is awake', async () => {
    const { ports } = world;
    let now = BEGAN;
    const run = await world.settling();
    await ports.files.writeTurn(SLUG, { ...blankTurnRecord(1), lastCheckinAt: now - HOUR_MS });
    let awake = 0;
    const clock = { now: () => now, steady: () => awake };
    const activities = createHostActivities({ ...ports, clock }, new Attachments());
    assert.equal(await activities.lastCheckinAge(run), 0);
    for (let step = 0; step < 3; step += 1) {
      now += 60_000;
      awake += 60_000;
      assert.equal(await activities.lastCheckinAge(run), Math.max(0, now - BEGAN - BEHIND_MS));
    }
    // The machine slept.
    now += HOUR_MS;
    assert.equal(await activities.lastCheckinAge(run), 0);
  });
});

describe('what an operator agreed to, and two workers died of', () => {
  const world = useHostWorld();
  beforeEach(() => {
    world.containers = { bundle: { status: 'running' } };
  });

  const put = (file: string): Promise<string> =>
    world.ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG, proposed_file: file })));
  const activities = async (): Promise<ReturnType<typeof createHostActivities>> =>
    createHostActivities(
      { ...world.ports, underWay: await UnderWayFiles.open(world.home) },
      new Attachments(),
    );
  const activity = <T>(work: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(work);

  it('is not applied a third time, and said; what is agreed to after it, or stood before, is', async () => {
    const [first, fatal, other] = await Promise.all(
      ['a.example', 'b.example', 'c.example'].map((host) => put(`${host}\n`)),
    );
    assert.ok(first !== undefined && fatal !== undefined && other !== undefined);
    const input = { ...(await world.turning()), changes: [first, fatal] };
    await diesTwice(world.home, stepOfChange(input));
    const { applyChange } = await activities();
    await activity(() =>
      assert.rejects(applyChange(input), {
        type: 'set_aside',
        nonRetryable: true,
        message: `applying change ${fatal.slice(0, 12)} was under way at two crashes of the worker`,
      }),
    );
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
    for (const changes of [[first], [first, other]]) {
      await activity(() => applyChange({ ...input, changes }));
      assert.deepEqual(await keptChanges(world.ports.files, SLUG), changes);
    }
    assert.ok(readdirSync(`${world.home}/under-way`).every((name) => name.includes(fatal)));
  });
});
