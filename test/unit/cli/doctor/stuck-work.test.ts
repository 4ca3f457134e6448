import assert from 'node:assert/strict';
import { stuckWorkFinding } from '../../../../src/cli/doctor/stuck-work.js';
import type { StuckWork } from '../../../../src/domain/upkeep/stuck-work.js';

const NOW = 100 * 60_000;

describe('doctor on work that is stuck', () => {
  const about = (change: Partial<StuckWork>): ReturnType<typeof stuckWorkFinding> =>
    stuckWorkFinding(
      { open: 0, isCut: false, failing: [], retried: [], standing: [], idleQueues: [], ...change },
      NOW,
    );

  it('fails for what waits, with who, how often and why', () => {
    const failing = about({ open: 3, failing: [{ workflowId: 'gitea:a/b#1', attempt: 4, error: 'boom' }] });
    assert.equal(failing.state, 'fail');
    assert.match(failing.found, /^3 open workflows looked at; .*: gitea:a\/b#1 \(attempt 4: boom\)$/);
    const late = { workflowId: 'gitea:a/b#2', activity: 'freezeBottle', attempt: 30, error: null };
    const since = NOW - 12.5 * 60_000;
    assert.match(
      about({
        retried: [
          { ...late, since },
          { ...late, since: null },
        ],
      }).found,
      /freezeBottle of gitea:a\/b#2, for 12m, attempt 30: no answer in time; freezeBottle of \S+, for long, /,
    );
  });

  it('fails for runs of a version that no worker is of', () => {
    const { state, found, remedy } = about({
      open: 1,
      standing: [{ workflowId: 'gitea:a/b#1', version: '0.1.0-s1-a' }],
    });
    assert.equal(state, 'fail');
    assert.match(found, /no worker is of: gitea:a\/b#1 \(0\.1\.0-s1-a\)$/);
    assert.match(remedy ?? '', /start the program of that version/);
  });

  it('fails for a queue without a worker only while something is open', () => {
    const idleQueues = ['bot-bottle', 'bottles'];
    assert.deepEqual([about({ idleQueues }).state, about({ idleQueues, open: 1 }).state], ['warn', 'fail']);
    assert.match(about({ idleQueues }).remedy ?? '', /bot-bottle worker/);
    assert.equal(
      about({ open: 500, isCut: true }).found,
      'the first 500 open workflows looked at, none is stuck',
    );
  });

  it('names five and counts the rest', () => {
    const failing = Array.from({ length: 8 }, (_, n) => ({
      workflowId: `w${String(n)}`,
      attempt: 2,
      error: 'x',
    }));
    assert.match(about({ failing }).found, /w4 \(attempt 2: x\); and 3 more$/);
  });
});
