import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaFeed } from '../../../src/adapters/gitea/feed.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

const LARGE = 'x'.repeat(10_000);

describe('what a stranger writes on Gitea, more than an answer may have', function () {
  this.timeout(90_000);
  let gitea: Gitea;
  let client: GiteaClient;
  let forge: Forge;

  before(async () => {
    gitea = await sharedGitea();
    client = new GiteaClient({
      baseUrl: gitea.url,
      token: gitea.bot.publisherToken,
      maxResponseBytes: 40_000,
    });
    forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
  });
  after(() => {
    client.close();
  });

  it('keeps nobody from reading a conversation, or from posting to it once', async () => {
    const { alice, mallory, bot } = gitea;
    const number = await alice.createIssue({ title: 'Talk' });
    const small = await alice.comment(number, 'Please go on.');
    const before = await forge.readComments(number);
    for (let i = 0; i < 4; i += 1) await mallory.comment(number, LARGE);
    await mallory.comment(number, LARGE.repeat(5));
    const posted = await forge.postComment(number, 'Hello.', 'large-1');
    assert.equal((await forge.postComment(number, 'Hello.', 'large-1')).id, posted.id);
    const comments = await forge.readComments(number);
    assert.deepEqual(
      comments.map(({ author }) => author.login),
      ['alice', 'mallory', 'mallory', 'mallory', 'mallory', bot.login],
    );
    // Nothing of it is told otherwise than where the list is small.
    assert.deepEqual(
      comments.filter(({ id }) => id === small),
      before,
    );
  });

  it('keeps no other review from being read', async () => {
    const { alice, mallory } = gitea;
    const [branch, path] = ['large-remarks', 'large-remarks.txt'];
    await alice.createFile({ branch, from: 'main', path, content: 'a\n' });
    const pr = await alice.openPr({ title: 'Review me', head: branch });
    const remark = { path, line: 1, body: LARGE };
    const id = await mallory.review(pr, { verdict: 'comment', body: 'x', comments: Array(5).fill(remark) });
    await gitea.admin.review(pr, { verdict: 'request_changes', body: 'Mend this.' });
    const reviews = await forge.readReviews(pr);
    assert.deepEqual(
      reviews.map(({ state, body, comments }) => [state, body, comments.length]),
      [
        ['commented', 'x', 0],
        ['changes_requested', 'Mend this.', 0],
      ],
    );
    const { id: repoId } = await forge.readRepository();
    assert.deepEqual(await giteaFeed(client).remarks({ repoId, owner: 'alice', repo: 'demo' }, pr, id), []);
  });
});
