import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  SystemGitRepository,
  type SystemGitOptions,
} from '../../../src/adapters/git/system-git-repository.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type { GitPublishRequest, GitPublishVerdict } from '../../../src/domain/workspace/git-repository.js';
import { gitEnvironment } from '../../support/git/environment.js';

export const BRANCH = 'bot-bottle/12-abcde';
export const REPO = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;

/** git as a person or an agent uses it, in a work tree of the test's own. */
export function git(dir: string, ...args: readonly string[]): string {
  return gitAs('agent', dir, ...args);
}

export function gitAs(author: string, dir: string, ...args: readonly string[]): string {
  const env = { ...gitEnvironment(author, 'example.test'), GIT_LITERAL_PATHSPECS: '1' };
  return execFileSync('git', ['-C', dir, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim();
}

/** A forge that is a bare repository on disk, and the work trees of an agent and of a person. */
class Repositories {
  readonly root = mkdtempSync(join(tmpdir(), 'bot-bottle-git-test-'));
  readonly forge = join(this.root, 'forge', 'alice', 'demo.git');
  readonly work = join(this.root, 'work');
  readonly person = join(this.root, 'person');

  write(dir: string, path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }

  commit(dir: string, path: string, content: string | Uint8Array, author = 'agent'): string {
    this.write(dir, path, content);
    gitAs(author, dir, 'add', '-f', path);
    gitAs(author, dir, 'commit', '-q', '-m', `change ${path}`);
    return git(dir, 'rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** What every fixture is a copy of: making it takes a dozen processes of git. */
class Template extends Repositories {
  readonly base: string;

  constructor() {
    super();
    mkdirSync(this.forge, { recursive: true });
    git(this.forge, 'init', '-q', '--bare', '-b', 'main');
    mkdirSync(this.person);
    git(this.person, 'init', '-q', '-b', 'main');
    git(this.person, 'remote', 'add', 'origin', this.forge);
    this.base = this.commit(this.person, 'README.md', 'hello\n', 'alice');
    git(this.person, 'push', '-q', 'origin', 'main');
    git(this.root, 'clone', '-q', this.forge, this.work);
    git(this.work, 'checkout', '-q', '-b', BRANCH);
  }
}

let template: Template | undefined;
// Not a hook of mocha's: the benchmark has fixtures, too.
process.once('exit', () => template?.remove());

/** Those repositories, and the adapter under test. */
export class GitFixture extends Repositories {
  readonly mirrorsDir = join(this.root, 'mirrors');
  readonly base: string;

  constructor() {
    super();
    template ??= new Template();
    this.base = template.base;
    cpSync(template.root, this.root, { recursive: true });
    for (const dir of [this.work, this.person]) {
      const config = join(dir, '.git/config');
      writeFileSync(config, readFileSync(config, 'utf8').replace(template.root, this.root));
    }
  }

  repository(options: Partial<SystemGitOptions> = {}): SystemGitRepository {
    return new SystemGitRepository({
      mirrorsDir: this.mirrorsDir,
      cloneUrl: () => this.forge,
      webUrl: 'http://forge.test',
      readToken: () => '',
      publishToken: () => '',
      secrets: new SecretGuard(null, () => []),
      ...options,
    });
  }

  /** What alice commits and pushes to the base branch. */
  pushBase(path: string, content: string | Uint8Array): string {
    const commit = this.commit(this.person, path, content, 'alice');
    git(this.person, 'push', '-q', 'origin', 'main');
    return commit;
  }

  /** What alice commits on top of the run's branch as the forge has it, without a push. */
  commitOnBranch(path: string, content: string): string {
    git(this.person, 'fetch', '-q', 'origin', BRANCH);
    git(this.person, 'checkout', '-q', '-b', BRANCH, 'FETCH_HEAD');
    return this.commit(this.person, path, content, 'alice');
  }

  /** The agent's branch with the base as it is on the forge now. */
  mergeBase(...options: readonly string[]): string {
    git(this.work, 'fetch', '-q', 'origin', 'main');
    git(this.work, 'merge', '-q', '--no-edit', ...options, 'FETCH_HEAD');
    return git(this.work, 'rev-parse', 'HEAD');
  }

  /** A merge commit of the agent's with a file that neither of its parents has. */
  commitInMerge(path: string, content: string): string {
    git(this.work, 'checkout', '-q', '-b', 'side');
    this.commit(this.work, 's.txt', 's');
    git(this.work, 'checkout', '-q', BRANCH);
    this.commit(this.work, 'a.txt', 'a');
    git(this.work, 'merge', '-q', '--no-commit', 'side');
    return this.commit(this.work, path, content);
  }

  /** Takes the agent's branch back to its beginning. */
  reset(): void {
    git(this.work, 'reset', '-q', '--hard', this.base);
  }

  /** What the extractor would have taken out: the branch without `known`. */
  bundle(known: readonly string[] = [this.base], branch = BRANCH): string {
    const file = join(this.root, 'out.bundle');
    const excluded = known.map((sha) => `^${sha}`);
    git(this.work, 'bundle', 'create', '-q', '--version=2', file, `refs/heads/${branch}`, ...excluded, '--');
    return file;
  }

  publish(
    request: Partial<GitPublishRequest> = {},
    repository = this.repository(),
  ): Promise<GitPublishVerdict> {
    return repository.publish({
      repo: REPO,
      branch: BRANCH,
      bundleFile: request.bundleFile ?? this.bundle(),
      baseSha: this.base,
      maxBytes: 1024 * 1024,
      maxFiles: 100,
      maxCommits: 50,
      maxFileBytes: 1024 * 1024,
      allowPaths: [],
      submoduleRepos: [],
      author: { name: 'agent', email: 'agent@example.test' },
      texts: [],
      ...request,
    });
  }

  /** Tip of a branch on the forge, empty when there is none. */
  forgeTip(branch = BRANCH): string {
    return git(this.forge, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
  }

  quarantines(): string[] {
    const dir = join(this.mirrorsDir, '.scratch');
    return existsSync(dir) ? readdirSync(dir) : [];
  }
}

/** The verdict of a push, when nothing but our own secrets was looked for. */
export function pushedVerdict(head: string): GitPublishVerdict {
  const secretScan = { scanner: 'off', outcome: 'clean', findings: 0, rules: [] } as const;
  return { kind: 'pushed', head, secretScan };
}

/** The verdict's reason, or a failure that shows the verdict. */
export function reasonOf(verdict: GitPublishVerdict): string {
  if (verdict.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(verdict)}`);
  return verdict.reason;
}
