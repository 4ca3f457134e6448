import assert from 'node:assert/strict';
import { createHostActivities } from '../../../src/activities/host-activities.js';
import { Attachments } from '../../../src/activities/turn/attachments.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { HostWorld, SLUG } from '../../support/host/host-world.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const BEGAN = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
/** What the disk may be behind. */
const BEHIND_MS = 5_000;

describe('the last check-in of an agent', () => {
  const newPath = useNewPaths();

  it('is as old as the clock says, and no older than the worker, or than the machine is awake', async () => {
    const world = await HostWorld.open(newPath());
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
