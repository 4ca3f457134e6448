import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../src/domain/base/errors.js';
import { until } from '../support/bundle/until.js';
import type { ForgeFixture } from './forge-world.js';

/** Pull requests: read, found by branch or issue, opened once. */
export function pullsContract(use: () => ForgeFixture): void {
  it('reads a pull request with both branches and tells it from an issue', async () => {
    const fixture = use();
    const { forge } = fixture;
    const { number, branch, sha } = await fixture.pr();
    const read = await forge.readPr(number);
    assert.deepEqual(read.head, { ref: branch, sha, fromFork: false });
    assert.equal(read.base.ref, 'main');
    assert.match(read.base.sha, /^[0-9a-f]{40}$/);
    assert.equal(read.merged, false);
    assert.equal(read.draft, false);
    assert.equal(read.state, 'open');
    assert.equal((await forge.readIssue(number)).isPull, true);
    assert.equal(await forge.isPrOpen(number), true);
  });

  it('shows a draft as one, until its title says otherwise', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { branch } = await fixture.branchWithCommit();
    const number = await owner.openPr({ title: 'not yet', head: branch, draft: true });
    assert.equal((await forge.readPr(number)).draft, true);
    await forge.updateTitle(number, 'done');
    const { draft, title } = await forge.readPr(number);
    assert.deepEqual([draft, title], [false, 'done']);
  });

  it('tells merged from closed', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const [merged, closed] = [await fixture.pr(), await fixture.pr()];
    await owner.mergePr(merged.number);
    await owner.closePr(closed.number);
    const [one, other] = [await forge.readPr(merged.number), await forge.readPr(closed.number)];
    assert.deepEqual([one.state, one.merged], ['closed', true]);
    assert.deepEqual([other.state, other.merged], ['closed', false]);
    assert.equal(await forge.isPrOpen(merged.number), false);
  });

  it('marks a pull request from a fork and never takes its branch for ours', async () => {
    const { world, forge, owner } = use();
    const issue = await owner.createIssue({ title: 'wanted' });
    const branch = `bot-bottle/${String(issue)}-evil1`;
    const number = await world.prFromFork(branch);
    const read = await forge.readPr(number);
    assert.equal(read.head.ref, branch);
    assert.equal(read.head.fromFork, true);
    assert.equal(await forge.findOpenPrByHead(branch), undefined);
  });

  it('opens one pull request per head branch and adopts it the next time', async () => {
    const fixture = use();
    const { world, forge } = fixture;
    const { branch } = await fixture.branchWithCommit('bot-bottle/7-ab1');
    const first = await forge.openPr({ title: 'Do it', body: 'Closes #7', head: branch, base: 'main' });
    const again = await forge.openPr({ title: 'Do it again', body: 'other', head: branch, base: 'main' });
    assert.equal(again.number, first.number);
    assert.equal(first.author.login, world.bot);
    assert.equal(first.body, 'Closes #7');
    assert.equal((await forge.findOpenPrByHead(branch))?.number, first.number);
  });

  it('opens a new pull request when the old one of the branch is closed', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { branch } = await fixture.branchWithCommit();
    const first = await forge.openPr({ title: 'one', body: '', head: branch, base: 'main' });
    await owner.closePr(first.number);
    assert.equal(await forge.findOpenPrByHead(branch), undefined);
    const second = await forge.openPr({ title: 'two', body: '', head: branch, base: 'main' });
    assert.notEqual(second.number, first.number);
  });

  it('finds the open pull requests that name an issue, and who opened them', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const issue = await owner.createIssue({ title: 'named' });
    assert.deepEqual(await forge.readLinkedPulls(issue), []);
    const body = `Closes #${String(issue)}`;
    const [one, other] = [await fixture.branchWithCommit(), await fixture.branchWithCommit()];
    const open = await owner.openPr({ title: 'open', head: one.branch, body });
    await owner.closePr(await owner.openPr({ title: 'closed', head: other.branch, body }));
    assert.deepEqual(await forge.readLinkedPulls(issue), [
      { number: open, title: 'open', author: owner.login },
    ]);
  });

  it('knows who pushed to a pull request, and to which commit', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { number, branch } = await fixture.pr();
    const sha = await owner.createFile({ branch, path: `later-${String(number)}.txt`, content: 'later\n' });
    // Gitea notes it a moment later.
    const push = await until('the push in the timeline', async () =>
      (await forge.readTimeline(number)).find((act) => act.kind === 'pushed' && act.what === sha),
    );
    assert.equal(push.actor.login, owner.login);
  });

  it('refuses to open a pull request from a branch that is not there', async () => {
    const { forge } = use();
    await assert.rejects(
      forge.openPr({ title: 'x', body: '', head: 'no-such-branch', base: 'main' }),
      (error: unknown) => error instanceof ForgeHttpError && !error.retryable,
    );
  });
}
