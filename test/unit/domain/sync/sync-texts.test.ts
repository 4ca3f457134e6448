import assert from 'node:assert/strict';
import type { SyncOrder, SyncRefs } from '../../../../src/domain/sync/sync.js';
import { SYNC_SETUP, syncBody, syncPrompt, syncTitle } from '../../../../src/domain/sync/sync-texts.js';

const order: SyncOrder = {
  fork: { forge: 'gitea', owner: 'alice', repo: 'demo' },
  upstream: 'https://up.example/some/body.git',
  manifest: null,
  opencode: { envFile: '/x', model: null, variant: null, agent: null },
  timeoutMs: 8 * 60_000,
  by: 'alice',
};
const refs: SyncRefs = {
  branch: 'trunk',
  sha: 'a'.repeat(40),
  upstreamBranch: 'main',
  upstreamSha: 'b'.repeat(40),
  behind: 7,
  earlier: null,
};

describe('the agent that merges', () => {
  let prompt: string;

  beforeEach(() => {
    prompt = syncPrompt(order, refs, null);
  });

  it('is told what is merged into what', () => {
    assert.match(prompt, /^# Merge upstream into this fork\n/);
    assert.match(prompt, /is the fork alice\/demo, on its branch `trunk`/);
    assert.match(prompt, /https:\/\/up\.example\/some\/body\.git/);
    assert.match(prompt, /Run `git merge upstream\/main` on `trunk`/);
    assert.match(prompt, /it has 7 commits that the fork lacks/);
    assert.match(syncPrompt(order, { ...refs, behind: 1 }, null), /it has 1 commit that the fork lacks/);
  });

  it('is told what is refused, and that it may give up', () => {
    assert.match(prompt, /Never rewrite history/);
    assert.match(prompt, /\/workspace\/STUCK\.md/);
    assert.match(prompt, /every commit of upstream\/main is reachable from trunk/);
  });

  for (const [timeoutMs, minutes] of [
    [8 * 60_000, 8],
    [119_999, 1],
    [1_000, 1],
  ] as const)
    it(`is told that it has ${String(minutes)} minutes of ${String(timeoutMs)} ms`, () => {
      const text = syncPrompt({ ...order, timeoutMs }, refs, null);
      assert.ok(text.includes(`You have ${String(minutes)} minutes.`));
    });

  it('reads the role of its manifest first', () => {
    assert.equal(syncPrompt(order, refs, '\nYou merge.\n\n'), `You merge.\n\n${prompt}`);
  });

  it('finds the branches of both remotes where git looks for them, and leaves a merge commit', () => {
    const [fetch, ...rest] = SYNC_SETUP.split('\n');
    for (const remote of ['origin', 'upstream'])
      assert.ok(fetch?.includes(` '+refs/remotes/base/${remote}/*:refs/remotes/${remote}/*'`), remote);
    assert.deepEqual(rest, ['git config merge.ff false', '']);
  });
});

describe('the pull request of a sync', () => {
  it('says which branch is merged', () => {
    assert.equal(syncTitle(refs), 'Merge upstream main');
  });

  it('says from where, up to which commit and how many, with names as code', () => {
    const [first] = syncBody(order, refs).split('\n');
    assert.equal(
      first,
      'Merges `main` of `https://up.example/some/body.git` at `bbbbbbbbbbbb` into `trunk`: 7 commits.',
    );
    assert.match(syncBody(order, { ...refs, behind: 1 }), /into `trunk`: 1 commit\.\n/);
  });

  it('asks for a merge commit', () => {
    assert.match(syncBody(order, refs), /Merge it with a merge commit: squashing loses/);
  });
});
