import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SystemGitRepository } from '../../../src/adapters/git/system-git-repository.js';
import type { RepoRef } from '../../../src/domain/forge/issue.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { git, type GitFixture } from './git-fixture.js';

/** Repositories on a real forge as alice makes and pushes them, and the adapter that reads them as the bot. */
export class ForgePeople {
  constructor(
    private readonly gitea: Gitea,
    private readonly fixture: GitFixture,
  ) {}

  /** An empty repository of alice; only she can read a private one. */
  async addRepository(isPrivate = false): Promise<string> {
    const name = `repo-${randomBytes(4).toString('hex')}`;
    await this.gitea.alice.api.call('POST', '/user/repos', { name, private: isPrivate });
    return name;
  }

  /** For her git. */
  address(name: string): string {
    return `http://alice:${this.gitea.alice.password}@${new URL(this.gitea.url).host}/alice/${name}.git`;
  }

  /** A work tree with `files`, pushed as `main`. Answers its directory. */
  push(name: string, files: Readonly<Record<string, string>>): string {
    const dir = join(this.fixture.root, name);
    mkdirSync(dir, { recursive: true });
    git(dir, 'init', '-q', '-b', 'main');
    for (const [path, content] of Object.entries(files)) this.fixture.commit(dir, path, content, 'alice');
    git(dir, 'push', '-q', this.address(name), 'HEAD:refs/heads/main');
    return dir;
  }

  repo(name: string): RepoRef {
    return { forge: 'gitea', owner: 'alice', repo: name };
  }

  adapter(): SystemGitRepository {
    return new SystemGitRepository({
      mirrorsDir: this.fixture.mirrorsDir,
      webUrl: this.gitea.url,
      cloneUrl: ({ owner, repo }) => `${this.gitea.url}/${owner}/${repo}.git`,
      readToken: () => this.gitea.bot.sidecarToken,
      publishToken: () => this.gitea.bot.publisherToken,
      secrets: new SecretGuard(null, () => []),
    });
  }
}
