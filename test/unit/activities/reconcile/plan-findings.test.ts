import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  changedFindings,
  checksFindings,
  commentFindings,
  digestOf,
  missingFinding,
  stateFinding,
} from '../../../../src/activities/reconcile/plan-findings.js';
import type { KnownRun } from '../../../../src/activities/reconcile/plan-findings.js';
import type { FeedSubject } from '../../../../src/domain/forge/forge-feed.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { findingBody, parseReconciled } from '../../../../src/webhook/events/reconciled.js';
import { stateRow } from '../../../support/webhook/rows.js';

const T = 1_700_000_000_000;
const PLACE = { repoId: 7, owner: 'alice', repo: 'demo' };

function subject(changes: Partial<FeedSubject> = {}): FeedSubject {
  const rest = { labels: [], assignees: [], updatedAt: T } as const;
  return { place: PLACE, number: 12, isPull: false, state: 'open', ...rest, ...changes };
}

function run(changes: Partial<ForgeStateRow> = {}, triggerAt = T): KnownRun {
  return { row: stateRow(changes), triggerAt };
}

describe('what is posted of a subject that changed', () => {
  it('a possible trigger is, whoever is assigned; what is closed or has no agent label is not', () => {
    const labels = ['bot-bottle:coder'];
    assert.equal(changedFindings(subject({ labels }), []).length, 1);
    assert.equal(changedFindings(subject({ labels, state: 'closed' }), []).length, 0);
    assert.equal(changedFindings(subject({ labels: ['bug'] }), []).length, 0);
  });

  it('everything of a run is, by issue or pull request, whether it goes on or has ended', () => {
    for (const status of ['running', 'frozen', 'destroyed'] as const) {
      const own = stateRow({ prNumber: 13, status });
      assert.equal(changedFindings(subject({ state: 'closed' }), [own]).length, 1);
      const [ofPull] = changedFindings(subject({ number: 13, isPull: true }), [own]);
      assert.equal(ofPull?.headRef, own.branch);
      assert.equal(changedFindings(subject({ number: 14 }), []).length, 0);
    }
  });

  it('a run that began as a pull request is ordered by its own number', () => {
    const [found] = changedFindings(subject({ isPull: true }), [stateRow({ prNumber: 12 })]);
    assert.equal(found?.headRef, null);
  });

  it('the same state gives the same finding, in whatever order labels come, and any change another', () => {
    const seen = subject({ labels: ['a', 'b'], assignees: ['x', 'y'] });
    const same = stateFinding({ ...seen, labels: ['b', 'a'], assignees: ['y', 'x'] }, null);
    assert.equal(digestOf(same), digestOf(stateFinding(seen, null)));
    const others = [
      { ...seen, labels: ['a'] },
      { ...seen, assignees: ['x'] },
      { ...seen, state: 'closed' as const },
      { ...seen, updatedAt: T + 1000 },
      { ...seen, place: { ...PLACE, repo: 'renamed' } },
    ];
    const digests = others.map((one) => digestOf(stateFinding(one, null)));
    assert.equal(new Set([...digests, digestOf(same)]).size, others.length + 1);
  });

  it('what is missing is another finding at each pass', () => {
    const { row } = run();
    assert.notEqual(digestOf(missingFinding(row, PLACE, T)), digestOf(missingFinding(row, PLACE, T + 1000)));
  });

  it('what is missing is a pull request where the run began as one', () => {
    const isPull = (prNumber: number | null): boolean =>
      missingFinding(stateRow({ issueNumber: 12, prNumber }), PLACE, T).isPull;
    assert.deepEqual([isPull(12), isPull(13), isPull(null)], [true, false, false]);
  });

  it('is taken by the door, whatever stands on the forge', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 2000, size: 'max' });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50, size: 'max' }), text, (labels, body) => {
        const comment = { id: 3, number: 12, isPull: false, body, updatedAt: T };
        const findings = [
          stateFinding(subject({ labels }), null),
          ...commentFindings(comment, PLACE, [run()]),
        ];
        for (const finding of findings)
          assert.equal(parseReconciled(findingBody({ ...finding, forge: 'gitea' })).kind, 'hint');
      }),
    );
  });
});

describe('what is posted of what people write', () => {
  const comment = { id: 3, number: 12, isPull: false, body: 'do it', updatedAt: T };

  it('comments since the trigger of a run that goes on, and of the second of the trigger', () => {
    assert.equal(commentFindings(comment, PLACE, [run()]).length, 1);
    assert.equal(commentFindings(comment, PLACE, [run({}, T + 900)]).length, 1);
    assert.equal(commentFindings(comment, PLACE, [run({}, T + 1000)]).length, 0);
    assert.equal(commentFindings(comment, PLACE, []).length, 0);
  });

  it('an edited comment anew, also one edited twice in a second', () => {
    const [one] = commentFindings(comment, PLACE, [run()]);
    const [two] = commentFindings({ ...comment, body: 'do that' }, PLACE, [run()]);
    assert.notEqual(one?.seen, two?.seen);
    assert.ok(one !== undefined && !one.seen.includes('do it'), 'no text of strangers');
  });
});

describe('what is posted of failed checks', () => {
  const pull = {
    ...subject({ number: 13, isPull: true }),
    head: { ref: 'b', sha: 'a'.repeat(40), fromFork: false },
  };

  it('is the head, once for a set of them in whatever order, and nothing where none fails', () => {
    const [one] = checksFindings(pull, 'b', ['lint', 'build']);
    assert.ok(one !== undefined);
    assert.deepEqual([one.number, one.cause], [13, { kind: 'checks', sha: pull.head.sha }]);
    assert.deepEqual(checksFindings(pull, 'b', ['build', 'lint']), [one]);
    assert.notDeepEqual(checksFindings(pull, 'b', ['build']), [one]);
    assert.deepEqual(checksFindings(pull, 'b', []), []);
    assert.equal(parseReconciled(findingBody({ ...one, forge: 'gitea' })).kind, 'hint');
    const odd = { ...one, forge: 'gitea', cause: { kind: 'checks', sha: '../../x' } } as const;
    assert.equal(parseReconciled(findingBody(odd)).kind, 'malformed');
  });
});
