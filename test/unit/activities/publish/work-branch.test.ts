import assert from 'node:assert/strict';
import type { PrepareTurnInput } from '../../../../src/activities/ports/inputs.js';
import { workBranch, type WorkBranch } from '../../../../src/activities/publish/work-branch.js';
import type { PublishPlace } from '../../../../src/domain/forge/forks.js';
import type { Issue, PullRequest } from '../../../../src/domain/forge/issue.js';
import { BOT, FakeForge, user } from '../../../support/webhook/fake-forge.js';
import { stateRow } from '../../../support/webhook/rows.js';

const SLUG = 'coder-alice-demo-12-abc12';
const OWN = 'bot-bottle/12-abc12';
const STRANGER = user('mallory', 66);

/** A run that a trigger on pull request 12 began, or on issue 12 when there is no pull request. */
function asked(
  pull: Partial<PullRequest> | null,
  publish: PublishPlace = 'branch',
  row?: string,
  reopened?: Partial<PullRequest>,
): Promise<WorkBranch> {
  const forge = new FakeForge();
  const issue: Issue = forge.putIssue(12, { isPull: pull !== null });
  if (pull !== null) forge.putPull(12, pull);
  if (reopened !== undefined) forge.putPull(31, reopened);
  const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
  const input = {
    slug: SLUG,
    subject,
    trigger: { pull: reopened === undefined ? null : 31 },
  } as unknown as PrepareTurnInput;
  const known = row === undefined ? undefined : stateRow({ slug: SLUG, branch: row });
  return workBranch(forge.bind(), input, issue, known, publish);
}

const from = (ref: string, forkOwner?: typeof BOT): Partial<PullRequest> => ({
  head: { ref, sha: 'c0ffee', fromFork: forkOwner !== undefined, ...(forkOwner && { forkOwner }) },
});

describe('the branch that a run works on', () => {
  it('is one of its own for an issue', async () => {
    assert.deepEqual(await asked(null), { kind: 'branch', branch: OWN, pull: null });
  });

  it('is the pull request’s own', async () => {
    const chosen = await asked(from('feature'));
    assert.ok(chosen.kind === 'branch');
    assert.deepEqual([chosen.branch, chosen.pull?.number], ['feature', 12]);
  });

  it('stays what the run’s row says, whatever the pull request is made from by now', async () => {
    const chosen = await asked(from('renamed'), 'branch', 'feature');
    assert.ok(chosen.kind === 'branch' && chosen.branch === 'feature');
  });

  it('is an earlier run’s, whose pull request was reopened, but its own when that is closed again', async () => {
    const again = await asked(null, 'branch', undefined, from('bot-bottle/12-older'));
    assert.ok(again.kind === 'branch');
    assert.deepEqual([again.branch, again.pull?.number], ['bot-bottle/12-older', 31]);
    const closed = { ...from('bot-bottle/12-older'), state: 'closed' } as const;
    assert.deepEqual(await asked(null, 'branch', undefined, closed), {
      kind: 'branch',
      branch: OWN,
      pull: null,
    });
    const begun = await asked(null, 'branch', 'bot-bottle/12-older', closed);
    assert.ok(begun.kind === 'branch' && begun.branch === 'bot-bottle/12-older', 'it stays where it began');
    const empty = await asked(null, 'branch', '', from('bot-bottle/12-older'));
    assert.ok(empty.kind === 'branch' && empty.branch === 'bot-bottle/12-older', 'a row without a branch');
  });

  it('stays what the run’s row says, although nobody knows the pull request any more', async () => {
    const kept = await asked(null, 'branch', 'bot-bottle/12-older');
    assert.deepEqual(kept, { kind: 'branch', branch: 'bot-bottle/12-older', pull: null });
    assert.deepEqual(await asked(null, 'branch', ''), { kind: 'branch', branch: OWN, pull: null });
  });

  it('is one that a run has made in the bot’s fork, where runs publish from there', async () => {
    const chosen = await asked(from('bot-bottle/12-older', BOT), 'fork');
    assert.ok(chosen.kind === 'branch' && chosen.branch === 'bot-bottle/12-older', JSON.stringify(chosen));
  });

  it('is a closed pull request’s own when that is the subject', async () => {
    const chosen = await asked({ ...from('feature'), state: 'closed' });
    assert.ok(chosen.kind === 'branch' && chosen.branch === 'feature');
  });

  const refusals: readonly (readonly [
    why: string,
    pull: Partial<PullRequest>,
    place: PublishPlace,
    RegExp,
  ])[] = [
    [
      'the default branch',
      { ...from('main'), base: { ref: 'next', sha: 'ba5e' } },
      'branch',
      /of branch main/,
    ],
    [
      'a branch with a base that git would not take',
      { ...from('feature'), base: { ref: 'a b', sha: 'ba5e' } },
      'branch',
      /base branch of pull request #12 has an unusable name/,
    ],
    ['its own base', { ...from('next'), base: { ref: 'next', sha: 'ba5e' } }, 'branch', /of branch next/],
    ['a stranger’s fork', from('feature', STRANGER), 'fork', /comes from a fork/],
    [
      'a fork that nobody has any more',
      { head: { ref: OWN, sha: 'c0ffee', fromFork: true } },
      'fork',
      /comes from a fork/,
    ],
    ['a branch that git would not take', from('-x'), 'branch', /unusable name/],
    [
      'a branch of the bot’s fork that no run has made',
      from('feature', BOT),
      'fork',
      /not one that a run has made/,
    ],
    ['the repository, when forks publish', from('feature'), 'fork', /FORGE_PUBLISH=fork/],
    ['the bot’s fork, when branches publish', from(OWN, BOT), 'branch', /FORGE_PUBLISH=branch/],
  ];
  for (const [why, pull, place, reason] of refusals)
    it(`is none for a pull request from ${why}`, async () => {
      const answer = await asked(pull, place);
      assert.ok(answer.kind === 'refused', JSON.stringify(answer));
      assert.match(answer.reason, reason);
    });
});
