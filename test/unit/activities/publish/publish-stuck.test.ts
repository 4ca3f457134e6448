import assert from 'node:assert/strict';
import { isStuck } from '../../../../src/activities/publish/publish-stuck.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { SLUG, useHostWorld } from '../../../support/host/host-world.js';

describe('a STUCK.md', () => {
  const world = useHostWorld();
  const [START, BASE, BRANCH] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40)];

  it('says that the agent is stuck when it is new, or other than a turn before has left it', async () => {
    const { ports } = world;
    const isNews = async (hash: string | null, before: string | null | undefined): Promise<boolean> =>
      isStuck(ports, { subject: localSubject(SLUG) }, { refs: null }, hash, before);
    for (const none of [null, undefined]) {
      assert.equal(await isNews(null, none), false);
      assert.equal(await isNews('a', none), true);
    }
    assert.equal(await isNews('a', 'a'), false);
    assert.equal(await isNews('b', 'a'), true);
  });

  it('says nothing when base or branch had it as the turn began', async () => {
    for (const commit of [START, BASE, BRANCH]) world.stuckBlobs.set(commit, `of ${commit}`);
    const refs = { startSha: START, baseBranch: 'main', baseSha: BASE, branchSha: BRANCH };
    const isNews = (hash: string, there: typeof refs | null): Promise<boolean> =>
      isStuck(world.ports, { subject: localSubject(SLUG) }, { refs: there }, hash, null);
    for (const commit of [START, BASE, BRANCH]) {
      assert.equal(await isNews(`of ${commit}`, refs), false, commit);
      assert.equal(await isNews(`of ${commit}`, null), true, 'the turn knows of no commit');
    }
    assert.equal(await isNews('changed', refs), true);
  });
});
