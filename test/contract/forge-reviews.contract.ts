import assert from 'node:assert/strict';
import { readFailedChecks } from '../../src/domain/forge/failed-checks.js';
import { until } from '../support/bundle/until.js';
import type { ForgeFixture } from './forge-world.js';

/** What is said about a pull request: reviews, checks, and its diff. */
export function reviewsContract(use: () => ForgeFixture): void {
  it('reads reviews with verdicts and inline comments, without mere requests', async () => {
    const fixture = use();
    const { world, forge, owner } = fixture;
    const { branch, path } = await fixture.branchWithCommit();
    const opened = await forge.openPr({ title: 'review me', body: '', head: branch, base: 'main' });
    await forge.requestReview(opened.number, owner.login);
    await owner.review(opened.number, {
      verdict: 'request_changes',
      body: 'not yet',
      comments: [
        { path, line: 2, body: 'why two?' },
        { path, line: 3, body: 'and three' },
      ],
    });
    await owner.review(opened.number, { verdict: 'approve', body: 'fine' });
    await world.stranger.review(opened.number, { verdict: 'comment', body: 'me too' });
    const reviews = await forge.readReviews(opened.number);
    assert.deepEqual(
      reviews.map((review) => [review.author.login, review.state, review.body]),
      [
        [owner.login, 'changes_requested', 'not yet'],
        [owner.login, 'approved', 'fine'],
        [world.stranger.login, 'commented', 'me too'],
      ],
    );
    const inline = reviews[0]?.comments ?? [];
    assert.deepEqual(
      inline.map((comment) => [comment.author.login, comment.path, comment.line, comment.body]),
      [
        [owner.login, path, 2, 'why two?'],
        [owner.login, path, 3, 'and three'],
      ],
    );
    assert.equal(new Set(inline.map((comment) => comment.id)).size, 2);
    assert.ok(inline.every((comment) => Number.isFinite(Date.parse(comment.updatedAt))));
  });

  it('reads acts behind more remarks than pages of nothing else are read', async function () {
    this.timeout(60_000);
    const fixture = use();
    const { world, forge, owner } = fixture;
    const { number, path } = await fixture.pr();
    const comments = Array.from({ length: 160 }, (_, i) => ({ path, line: 1 + (i % 3), body: String(i) }));
    await world.stranger.review(number, { verdict: 'comment', body: 'a lot', comments });
    await owner.addLabel(number, 'bug');
    const last = (await forge.readTimeline(number)).at(-1);
    assert.deepEqual([last?.kind, last?.what], ['labeled', 'bug']);
  });

  it('asks for a review once', async () => {
    const fixture = use();
    const { world, forge, owner } = fixture;
    const { branch } = await fixture.branchWithCommit();
    const opened = await forge.openPr({ title: 'please review', body: '', head: branch, base: 'main' });
    await forge.requestReview(opened.number, owner.login);
    await forge.requestReview(opened.number, owner.login);
    assert.deepEqual(await world.requestedReviewers(opened.number), [owner.login]);
  });

  it('reads a diff as text', async () => {
    const fixture = use();
    const { forge } = fixture;
    const { number, path } = await fixture.pr();
    const diff = await forge.readDiff(number);
    assert.match(diff, new RegExp(`^diff --git a/${path} b/${path}`));
    assert.match(diff, /^\+three$/m);
  });

  it("reads the latest state of every check on the pull request's head", async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { number, sha } = await fixture.pr();
    assert.deepEqual(await forge.readChecks(number), []);
    await owner.setStatus(sha, 'build', 'pending', 'running');
    await owner.setStatus(sha, 'lint', 'success', 'clean');
    await owner.setStatus(sha, 'build', 'failure', 'broken');
    const checks = [...(await forge.readChecks(number))].sort((a, b) => a.context.localeCompare(b.context));
    assert.deepEqual(checks, [
      { context: 'build', state: 'failure', description: 'broken', url: '' },
      { context: 'lint', state: 'success', description: 'clean', url: '' },
    ]);
    assert.equal((await forge.findOpenPrByCommit(sha))?.number, number);
  });

  it('knows which checks fail on a head and not on its base branch as that is now', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { number, sha } = await fixture.pr();
    await owner.setStatus(sha, 'build', 'failure');
    await owner.setStatus(sha, 'flaky', 'error');
    await owner.setStatus(sha, 'lint', 'pending');
    const names = async (): Promise<string[]> =>
      (await readFailedChecks(forge, await forge.readPr(number))).map(({ context }) => context);
    assert.deepEqual(await names(), ['build', 'flaky']);
    const base = await owner.createFile({ branch: 'main', path: `base-${String(number)}.txt`, content: 'b' });
    await until('the base in the pull request', async () =>
      (await forge.readPr(number)).base.sha === base ? true : undefined,
    );
    await owner.setStatus(base, 'flaky', 'failure');
    await owner.setStatus(base, 'build', 'success');
    assert.deepEqual(await names(), ['build']);
    assert.equal(await forge.findOpenPrByCommit(base), undefined);
    await owner.closePr(number);
    assert.equal(await forge.findOpenPrByCommit(sha), undefined);
  });
}
