import assert from 'node:assert/strict';
import type { ForgeFixture } from './forge-world.js';

/** Comments: read, and posted once. */
export function commentsContract(use: () => ForgeFixture): void {
  it('reads comments oldest first, edits included, and one by its id', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({ title: 'talk' });
    const first = await owner.comment(number, 'first');
    await world.stranger.comment(number, 'second');
    await owner.editComment(first, 'first, edited');
    const comments = await forge.readComments(number);
    assert.deepEqual(
      comments.map((comment) => comment.body),
      ['first, edited', 'second'],
    );
    assert.deepEqual(
      comments.map((comment) => comment.author.login),
      [owner.login, world.stranger.login],
    );
    assert.deepEqual(await forge.readComment(first), comments[0]);
  });

  it('reads every comment of a long discussion once', async function () {
    const { forge, owner } = use();
    this.timeout(60_000);
    const number = await owner.createIssue({ title: 'long' });
    for (let i = 0; i < 55; i += 1) await owner.comment(number, `comment ${String(i)}`);
    const comments = await forge.readComments(number);
    assert.deepEqual(
      comments.map((comment) => comment.body),
      Array.from({ length: 55 }, (_, i) => `comment ${String(i)}`),
    );
  });

  it('says 404 for a comment id that is a timeline event', async () => {
    const { forge, owner } = use();
    const number = await owner.createIssue({ title: 'events only' });
    const before = await owner.comment(number, 'its id is one less than the next entry');
    await owner.addLabel(number, 'bug');
    await assert.rejects(forge.readComment(before + 1), { name: 'ForgeHttpError', status: 404 });
  });

  it('posts a comment once however often it is asked with the same marker', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({ title: 'comment me' });
    const first = await forge.postComment(number, 'hello', 'run-1/request-1');
    const again = await forge.postComment(number, 'hello', 'run-1/request-1');
    assert.equal(again.id, first.id);
    assert.equal(first.author.login, world.bot);
    assert.match(first.body, /^hello\n/);
    await forge.postComment(number, 'hello', 'run-1/request-2');
    assert.equal((await owner.comments(number)).length, 2);
  });

  it('posts a comment on a locked issue', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({ title: 'locked' });
    await owner.lock(number);
    assert.equal((await forge.readIssue(number)).locked, true);
    await assert.rejects(world.stranger.comment(number, 'let me in'), /403/);
    await forge.postComment(number, 'said while locked', 'run-1/locked');
    assert.deepEqual(
      (await owner.comments(number)).map(({ login }) => login),
      [world.bot],
    );
  });

  it("is not kept from posting by somebody's copy of its mark", async () => {
    const { world, forge, owner } = use();
    const [one, other] = [await owner.createIssue({ title: 'a' }), await owner.createIssue({ title: 'b' })];
    const posted = await forge.postComment(one, 'hello', 'run-2/request-1');
    await world.stranger.comment(other, posted.body);
    const mine = await forge.postComment(other, 'hello', 'run-2/request-1');
    assert.equal(mine.author.login, world.bot);
    assert.equal((await owner.comments(other)).length, 2);
  });

  it('is not kept from posting by a mark inside an earlier text of its own', async () => {
    const { forge, owner } = use();
    const [one, other] = [await owner.createIssue({ title: 'a' }), await owner.createIssue({ title: 'b' })];
    const later = await forge.postComment(one, 'x', 'run-3/later');
    await forge.postComment(other, later.body, 'run-3/earlier');
    await forge.postComment(other, 'x', 'run-3/later');
    assert.equal((await owner.comments(other)).length, 2);
  });
}
