/** A fork and its upstream on the forge, and somebody's clone with both remotes. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../git/environment.js';
import { numberIn } from '../gitea/api.js';
import type { Gitea } from '../gitea/start-gitea.js';
import { waitUntil } from '../stack/stack.js';

const run = promisify(execFile);

/** Files by path; `null` removes one. */
export type Files = Readonly<Record<string, string | null>>;

const BEGINNING: Files = {
  'README.md': '# app\n',
  'settings.txt': 'port = 1\nname = app\n',
  '.github/workflows/build.yml': 'on: push\n',
};

export class Fork {
  private constructor(
    private readonly gitea: Gitea,
    /** The clone. */
    readonly dir: string,
    /** `alice/<name>` */
    readonly repo: string,
  ) {}

  /** Both with one commit in common, the fork's branch `main` and upstream's `trunk`. @param dir not there yet */
  static async make(gitea: Gitea, dir: string, name: string): Promise<Fork> {
    const fork = new Fork(gitea, dir, `alice/${name}`);
    for (const [repo, branch] of [
      [name, 'main'],
      [`${name}-upstream`, 'trunk'],
    ] as const)
      await gitea.alice.api.call('POST', '/user/repos', { name: repo, default_branch: branch });
    await gitea.alice.api.call('PUT', `/repos/alice/${name}/collaborators/${gitea.bot.login}`, {
      permission: 'write',
    });
    await mkdir(dir, { recursive: true });
    await fork.git('init', '-q', '-b', 'main');
    await fork.write(BEGINNING);
    await fork.commit('Begin');
    await fork.git('branch', 'trunk');
    await fork.git('remote', 'add', 'origin', `${gitea.url}/alice/${name}.git`);
    await fork.git('remote', 'add', 'upstream', `${gitea.url}/alice/${name}-upstream.git`);
    await fork.git('push', '-q', 'origin', 'main');
    await fork.git('push', '-q', 'upstream', 'trunk');
    // Gitea takes in a repository's first push a little later; until then it has no pull requests, not even none.
    await waitUntil('the forge to have taken in the push', () =>
      fork.pulls().then(
        () => true,
        () => false,
      ),
    );
    return fork;
  }

  onFork(files: Files): Promise<string> {
    return this.change('main', 'origin', files);
  }

  onUpstream(files: Files): Promise<string> {
    return this.change('trunk', 'upstream', files);
  }

  /** Everything that somebody could have written to the fork. */
  async onForge(): Promise<string> {
    const paths = ['branches', 'pulls?state=all', 'issues?state=all'];
    const lists = await Promise.all(
      paths.map((path) => this.gitea.alice.api.list(`/repos/${this.repo}/${path}`)),
    );
    return JSON.stringify(lists);
  }

  async pulls(): Promise<{ readonly number: number; readonly head: string; readonly base: string }[]> {
    const pulls = await this.gitea.alice.api.list(`/repos/${this.repo}/pulls?state=open`);
    return pulls.map((pull) => ({
      number: numberIn(pull, 'number'),
      head: refOf(pull['head']),
      base: refOf(pull['base']),
    }));
  }

  /** A file of a branch on the forge, fetched anew. */
  async fileOn(branch: string, path: string): Promise<string> {
    await this.git('fetch', '-q', 'origin');
    return this.git('show', `origin/${branch}:${path}`);
  }

  /** Output of git in the clone; as alice. */
  async git(...args: readonly string[]): Promise<string> {
    const { login, password } = this.gitea.alice;
    const env = gitEnvironment(login, 'example.invalid', password);
    const { stdout } = await run('git', ['-C', this.dir, ...args], { env });
    return stdout.trim();
  }

  private async change(branch: string, remote: string, files: Files): Promise<string> {
    await this.git('checkout', '-q', branch);
    await this.write(files);
    await this.commit(`Change ${Object.keys(files).join(', ')}`);
    await this.git('push', '-q', remote, branch);
    return this.git('rev-parse', 'HEAD');
  }

  private async write(files: Files): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) await this.git('rm', '-q', path);
      else {
        await mkdir(dirname(join(this.dir, path)), { recursive: true });
        await writeFile(join(this.dir, path), content);
      }
    }
  }

  private async commit(message: string): Promise<void> {
    await this.git('add', '-A');
    await this.git('commit', '-qm', message);
  }
}

function refOf(side: unknown): string {
  return typeof side === 'object' && side !== null && 'ref' in side ? String(side.ref) : '';
}
