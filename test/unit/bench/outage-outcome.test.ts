import assert from 'node:assert/strict';
import { outcomes, whatWentMissing, type OutageEvidence } from '../../../bench/webhook/outage-outcome.js';

/** One triggered issue with two comments, all applied. */
const APPLIED: OutageEvidence = {
  deliveries: 4,
  issues: 1,
  commentIds: [7, 8],
  open: 0,
  decisions: [
    { orderKey: 'gitea:a/b#1', eventType: 'issue_assign', outcome: 'started' },
    { orderKey: 'gitea:a/b#1', eventType: 'issues', outcome: 'covered' },
    { orderKey: 'gitea:a/b#1', eventType: 'issue_comment', outcome: 'signalled' },
    { orderKey: 'gitea:a/b#1', eventType: 'issue_comment', outcome: 'signalled' },
  ],
  signalledKeys: ['comment:7:ab', 'comment:8:cd'],
};

describe('what an outage cost', () => {
  it('is nothing when every delivery has its decision and every comment is in a history, be it twice', () => {
    assert.deepEqual(whatWentMissing(APPLIED), []);
    const twice = [...APPLIED.signalledKeys, 'comment:7:ab'];
    assert.deepEqual(whatWentMissing({ ...APPLIED, signalledKeys: twice }), []);
  });

  it('counts a run once, however many of its trigger’s deliveries asked for it', () => {
    const decisions = APPLIED.decisions.map((one) =>
      one.outcome === 'covered' ? { ...one, outcome: 'started' } : one,
    );
    assert.deepEqual(whatWentMissing({ ...APPLIED, decisions }), []);
  });

  it('is told for what is open, undecided, given up, or ended as something else', () => {
    assert.match(whatWentMissing({ ...APPLIED, open: 2 }).join(), /2 deliveries are still open/);
    const one = { ...APPLIED, decisions: APPLIED.decisions.slice(0, 3) };
    assert.match(whatWentMissing(one).join(), /3 decisions for 4 deliveries/);
    for (const outcome of ['failed', 'no_run', 'covered']) {
      const decisions = APPLIED.decisions.with(3, {
        orderKey: 'gitea:a/b#1',
        eventType: 'issue_comment',
        outcome,
      });
      assert.deepEqual(whatWentMissing({ ...APPLIED, decisions }), [
        `1 deliveries ended as ${outcome} (issue_comment)`,
      ]);
    }
  });

  it('is told for a run that did not start, and for comments that a history lacks or has from nowhere', () => {
    const decisions = APPLIED.decisions.slice(1);
    assert.match(whatWentMissing({ ...APPLIED, deliveries: 3, decisions }).join(), /0 of 1 runs/);
    const lacking = { ...APPLIED, signalledKeys: ['comment:7:ab'] };
    assert.deepEqual(whatWentMissing(lacking), ['1 comments never reached a workflow, such as 8']);
    const strange = { ...APPLIED, signalledKeys: [...APPLIED.signalledKeys, 'comment:9:ef'] };
    assert.match(whatWentMissing(strange).join(), /nothing that was delivered, such as comment:9:ef/);
  });

  it('is printed with the most frequent outcome first', () => {
    assert.deepEqual(outcomes(APPLIED.decisions)[0], ['signalled (issue_comment)', 2]);
  });
});
