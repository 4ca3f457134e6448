import assert from 'node:assert/strict';
import { GitError } from '../../../src/domain/base/errors.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { BRANCH, GitFixture, REPO, git, pushedVerdict } from './git-fixture.js';

describe('git with a real Gitea', function () {
  this.timeout(120_000);
  let gitea: Gitea;
  let fixture: GitFixture;
  before(async () => {
    gitea = await sharedGitea();
  });
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    assert.deepEqual(fixture.quarantines(), []);
    fixture.remove();
  });
  const repository = (readToken: string, publishToken: string, repo = 'demo') =>
    fixture.repository({
      cloneUrl: ({ owner }) => `${gitea.url}/${owner}/${repo}.git`,
      readToken: () => readToken,
      publishToken: () => publishToken,
    });

  it('reads with the sidecar’s token and pushes with the publisher’s', async () => {
    const { sidecarToken, publisherToken } = gitea.bot;
    const adapter = repository(sidecarToken, publisherToken);
    const refs = await adapter.refresh(REPO, BRANCH, []);
    const file = `${fixture.root}/refs.bundle`;
    await adapter.writeRefsBundle(REPO, refs, BRANCH, file);
    git(fixture.work, 'fetch', '-q', file, 'refs/base/main');
    git(fixture.work, 'checkout', '-q', '-B', BRANCH, 'FETCH_HEAD');
    const head = fixture.commit(fixture.work, 'from-the-gate.txt', 'x');
    const request = { baseSha: refs.startSha, bundleFile: fixture.bundle([refs.baseSha]) };
    const onlyRead = repository(sidecarToken, sidecarToken);
    await assert.rejects(
      fixture.publish(request, onlyRead),
      (error) => error instanceof GitError && !error.retryable && !error.message.includes(sidecarToken),
    );
    assert.deepEqual(await fixture.publish(request, adapter), pushedVerdict(head));
    assert.equal((await adapter.refresh(REPO, BRANCH, [])).branchSha, head);
  });

  it('fails for good without a repository or with a wrong token', async () => {
    const { sidecarToken } = gitea.bot;
    const final = (error: unknown) => error instanceof GitError && !error.retryable;
    await assert.rejects(repository(sidecarToken, '', 'nowhere').refresh(REPO, BRANCH, []), final);
    await assert.rejects(repository('0'.repeat(40), '').refresh(REPO, BRANCH, []), final);
  });
});
