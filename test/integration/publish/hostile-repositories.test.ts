import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import type { OneShotSpec } from '../../../src/domain/bottle/bottle-runtime.js';
import { ContainerOverrunError } from '../../../src/domain/base/errors.js';
import {
  extractionFailure,
  extractionSpec,
  parseExtraction,
  patchSpec,
} from '../../../src/domain/bottle/extractor.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { BRANCH, GitFixture, git } from '../git/git-fixture.js';

const IMAGE = 'bot-bottle/base:bookworm';
const CAP = 4 * 1024 * 1024;

/** A repository made by an agent that wants something of ours to run, to hang, or to publish what it should not. */
interface Hostile {
  readonly name: string;
  readonly plant: (lab: Lab) => void;
  /** What the gate says: `pushed`, or why not. */
  readonly end: 'pushed' | RegExp;
  /** Ordinary git in the same container that falls for it: shows that the attack is one. */
  readonly works?: string;
}

function hostile(name: string, end: Hostile['end'], plant: Hostile['plant']): Hostile {
  return { name, end, plant };
}

/** @param works see `Hostile.works` */
function trap(name: string, works: string, plant: Hostile['plant'], end: Hostile['end'] = 'pushed'): Hostile {
  return { name, end, plant, works };
}

class Lab {
  readonly fixture = new GitFixture();
  readonly dotGit = join(this.fixture.work, '.git');
  readonly traces = join(this.fixture.work, 'traces');
  /** On the host, where only a command run by a host process could make it. */
  readonly hostMark = join(this.fixture.root, 'ran-on-the-host');
  /** A shell command that leaves a mark wherever it is run. */
  readonly command = `touch /workspace/traces/$$ ${this.hostMark} 2>/dev/null; exit 1`;

  constructor() {
    mkdirSync(this.traces);
    chmodSync(this.traces, 0o777);
    writeFileSync(join(this.dotGit, 'info/exclude'), 'traces\n');
    writeFileSync(join(this.dotGit, 'plant'), `#!/bin/sh\n${this.command}\n`, { mode: 0o755 });
    this.fixture.commit(this.fixture.work, 'a.txt', 'a');
  }

  get work(): string {
    return this.fixture.work;
  }

  git(...args: readonly string[]): string {
    return git(this.work, ...args);
  }

  config(...keys: readonly string[]): void {
    for (const key of keys) this.git('config', key, `sh -c '${this.command}'`);
  }

  /** @param directory below `.git` */
  hooks(directory: string): void {
    mkdirSync(join(this.dotGit, directory), { recursive: true });
    for (const hook of HOOKS)
      writeFileSync(join(this.dotGit, directory, hook), `#!/bin/sh\n${this.command}\n`, { mode: 0o755 });
  }

  /** Makes README.md look changed, so that git has to look at its content. */
  touchReadme(): void {
    writeFileSync(join(this.work, 'README.md'), 'jello\n');
  }

  /** Replaces the branch's tip by a commit of a tree with these entries, made without git's own checks. */
  commitTree(entries: readonly (readonly [mode: string, name: string, id: string])[]): void {
    const tree = Buffer.concat(
      entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    );
    const file = join(this.fixture.root, 'tree');
    writeFileSync(file, tree);
    const id = this.git('hash-object', '-t', 'tree', '--literally', '-w', file);
    const commit = this.git('commit-tree', id, '-p', 'HEAD', '-m', 'evil tree');
    writeFileSync(join(this.dotGit, 'refs/heads', BRANCH), `${commit}\n`);
  }

  blob(text: string): string {
    const file = join(this.fixture.root, 'blob');
    writeFileSync(file, text);
    return this.git('hash-object', '-w', file);
  }

  tree(name: string, blob: string): string {
    return execFileSync('git', ['-C', this.work, 'mktree'], { input: `100644 blob ${blob}\t${name}\n` })
      .toString()
      .trim();
  }

  pipe(path: string): void {
    rmSync(join(this.work, path), { force: true, recursive: true });
    mkdirSync(dirname(join(this.work, path)), { recursive: true });
    execFileSync('mkfifo', [join(this.work, path)]);
  }
}

const HOOKS = [
  ...[
    'applypatch-msg',
    'commit-msg',
    'fsmonitor-watchman',
    'post-checkout',
    'post-commit',
    'post-index-change',
  ],
  ...['post-merge', 'post-rewrite', 'pre-auto-gc', 'pre-commit', 'pre-push', 'pre-receive', 'proc-receive'],
  ...['push-to-checkout', 'reference-transaction', 'sendemail-validate', 'update', 'upload-pack'],
];

const HOSTILE: readonly Hostile[] = [
  trap('fsmonitor', 'git status', (lab) => {
    lab.config('core.fsmonitor');
  }),
  trap(
    'hooks in .git/hooks',
    'git update-ref refs/heads/x HEAD </dev/null; git -c core.safecrlf=false add -A </dev/null',
    (lab) => {
      lab.hooks('hooks');
    },
  ),
  trap('hooks somewhere else (core.hooksPath)', 'git update-ref refs/heads/x HEAD </dev/null', (lab) => {
    lab.hooks('evil');
    lab.git('config', 'core.hooksPath', '/workspace/.git/evil');
  }),
  trap('a configuration that is included', 'git status', (lab) => {
    const more = `[core]\n\tfsmonitor = "${lab.command.replaceAll('"', '\\"')}"\n`;
    writeFileSync(join(lab.dotGit, 'more'), more.replaceAll(';', '\\;').replaceAll('\\;', ';'));
    lab.git('config', 'include.path', 'more');
    lab.git('config', 'includeIf.gitdir:/workspace/.git.path', 'more');
  }),
  trap('a configuration of the work tree (config.worktree)', 'git status', (lab) => {
    lab.git('config', 'extensions.worktreeConfig', 'true');
    lab.git('config', '--worktree', 'core.fsmonitor', `sh -c '${lab.command}'`);
  }),
  trap('filters by .gitattributes', 'git status', (lab) => {
    lab.config('filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process');
    lab.fixture.commit(lab.work, '.gitattributes', 'x filter=evil\n');
    writeFileSync(join(lab.work, '.gitattributes'), '* filter=evil\n');
    lab.touchReadme();
  }),
  trap('filters, drivers and textconv by info/attributes', 'git diff </dev/null', (lab) => {
    lab.config('filter.evil.clean', 'diff.evil.textconv', 'diff.evil.command', 'merge.evil.driver');
    writeFileSync(join(lab.dotGit, 'info/attributes'), '* filter=evil diff=evil merge=evil\n');
    lab.touchReadme();
  }),
  trap(
    'attributes that are committed: LFS, filters and drivers are content like any other',
    'git add new.bin </dev/null',
    (lab) => {
      lab.config('filter.lfs.clean', 'filter.lfs.process', 'diff.lfs.command', 'merge.lfs.driver');
      lab.git('config', 'filter.lfs.required', 'false');
      writeFileSync(join(lab.work, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      const id = lab.blob('*.bin filter=lfs diff=lfs merge=lfs -text\n');
      lab.git('update-index', '--add', '--cacheinfo', `100644,${id},.gitattributes`);
      lab.git('commit', '-q', '-m', 'attributes');
      writeFileSync(join(lab.work, 'new.bin'), 'x');
    },
  ),
  trap('an external diff and a pager', 'git --paginate diff </dev/null', (lab) => {
    lab.config('diff.external', 'core.pager', 'pager.diff', 'pager.status');
    lab.touchReadme();
  }),
  hostile('programs for ssh, credentials, signing, editing, asking and packing', 'pushed', (lab) => {
    lab.config(
      ...['core.sshCommand', 'credential.helper', 'core.editor', 'sequence.editor', 'core.askPass'],
      ...['gpg.program', 'gpg.ssh.program', 'uploadpack.packObjectsHook', 'alias.status', 'alias.bundle'],
      ...['core.gitProxy', 'trailer.evil.command', 'interactive.diffFilter', 'core.alternateRefsCommand'],
    );
    lab.git('config', 'commit.gpgSign', 'true');
    lab.git('config', 'remote.origin.url', 'ext::sh -c touch% /workspace/traces/x');
    lab.git('config', 'remote.origin.uploadpack', `sh -c '${lab.command}'`);
  }),
  trap(
    'a promisor remote and an object that is missing',
    `git bundle create /tmp/b ${BRANCH} </dev/null`,
    (lab) => {
      const blob = lab.git('rev-parse', 'HEAD:a.txt');
      rmSync(join(lab.dotGit, 'objects', blob.slice(0, 2), blob.slice(2)));
      lab.git('config', 'core.repositoryFormatVersion', '1');
      lab.git('config', 'extensions.partialClone', 'evil');
      lab.git('config', 'remote.evil.promisor', 'true');
      lab.git('config', 'remote.evil.url', 'ext::/workspace/.git/plant');
      lab.git('config', 'protocol.allow', 'always');
      lab.git('config', 'protocol.ext.allow', 'always');
    },
    /objects are missing or damaged/,
  ),
  hostile('an object that is damaged', /objects are missing or damaged/, (lab) => {
    const blob = lab.git('rev-parse', 'HEAD:a.txt');
    const object = join(lab.dotGit, 'objects', blob.slice(0, 2), blob.slice(2));
    rmSync(object);
    writeFileSync(object, 'damaged');
  }),
  trap(
    'submodules with a command for an update and for a URL',
    'git status',
    (lab) => {
      lab.git('config', 'submodule.evil.update', `!${lab.command}`);
      lab.git('config', 'submodule.evil.url', 'ext::/workspace/.git/plant');
      lab.git('config', 'submodule.recurse', 'true');
      lab.git('config', 'status.submoduleSummary', 'true');
      const nested = join(lab.work, 'evil');
      git(lab.fixture.root, 'init', '-q', nested);
      git(nested, 'commit', '-q', '--allow-empty', '-m', 'x');
      git(nested, 'config', 'core.fsmonitor', `sh -c '${lab.command}'`);
      lab.git('update-index', '--add', '--cacheinfo', `160000,${git(nested, 'rev-parse', 'HEAD')},evil`);
      lab.git('commit', '-q', '-m', 'gitlink');
      writeFileSync(join(nested, 'file'), 'x');
    },
    /sets the submodule evil to [0-9a-f]{12}, which is not published: \.gitmodules has no entry/,
  ),
  hostile('a .gitmodules that is committed', /does not accept the commits: .*gitmodules/, (lab) => {
    lab.fixture.commit(
      lab.work,
      '.gitmodules',
      '[submodule "x"]\n\tpath = x\n\turl = ../x\n\tupdate = !touch /tmp/x\n',
    );
  }),
  // git checks the address and quotes it: taken for our own full disk, it would be tried again for ever.
  hostile(
    'a submodule whose address speaks of a full disk',
    /git does not accept the commits: .*gitmodulesUrl/,
    (lab) => {
      lab.fixture.commit(
        lab.work,
        '.gitmodules',
        '[submodule "x"]\n\tpath = x\n\turl = -u./No space left on device\n',
      );
    },
  ),
  hostile('alternates', /borrows objects from elsewhere/, (lab) => {
    writeFileSync(join(lab.dotGit, 'objects/info/alternates'), '/proc/1/root\n');
  }),
  hostile('alternates by HTTP', /borrows objects from elsewhere/, (lab) => {
    writeFileSync(join(lab.dotGit, 'objects/info/http-alternates'), 'http://127.0.0.1/x\n');
  }),
  hostile('alternates that are a link to nowhere', /borrows objects from elsewhere/, (lab) => {
    symlinkSync('nowhere', join(lab.dotGit, 'objects/info/alternates'));
  }),
  hostile('a .git that is a link', /no ordinary \.git/, (lab) => {
    renameSync(lab.dotGit, join(lab.work, 'elsewhere'));
    symlinkSync('elsewhere', lab.dotGit);
  }),
  hostile('a .git file that leads elsewhere', /no ordinary \.git/, (lab) => {
    renameSync(lab.dotGit, join(lab.work, 'elsewhere'));
    writeFileSync(lab.dotGit, 'gitdir: elsewhere\n');
  }),
  hostile('a common directory', /no ordinary \.git/, (lab) => {
    writeFileSync(join(lab.dotGit, 'commondir'), '/workspace/elsewhere\n');
  }),
  ...['.git/objects', '.git/refs', '.git/index', '.git/packed-refs', `.git/refs/heads/${BRANCH}`].map(
    (path) =>
      hostile(`a link in the place of ${path}`, /no ordinary \.git/, (lab) => {
        lab.git('pack-refs', '--all', '--no-prune');
        const place = join(lab.work, path);
        renameSync(place, join(lab.fixture.root, 'moved'));
        symlinkSync(existsSync(place) ? '/etc' : '/etc/passwd', place);
      }),
  ),
  hostile('a pack that is a link', /no ordinary \.git/, (lab) => {
    lab.git('repack', '-adq');
    const [pack = ''] = readdirSync(join(lab.dotGit, 'objects/pack')).filter((name) =>
      name.endsWith('.pack'),
    );
    rmSync(join(lab.dotGit, 'objects/pack', pack));
    symlinkSync('/etc/passwd', join(lab.dotGit, 'objects/pack', pack));
  }),
  trap('another work tree, with a configuration of its own', 'git status', (lab) => {
    lab.git('worktree', 'add', '-q', '--detach', join(lab.fixture.root, 'other'));
    lab.config('core.fsmonitor');
    mkdirSync(join(lab.dotGit, 'worktrees/evil'), { recursive: true });
    writeFileSync(join(lab.dotGit, 'worktrees/evil/gitdir'), '/workspace/.git/plant\n');
  }),
  hostile(
    'a replaced commit, a graft and a shallow boundary that hide a CI file',
    /\.gitea\/workflows\/x\.yml/,
    (lab) => {
      const bad = lab.fixture.commit(lab.work, '.gitea/workflows/x.yml', 'evil');
      const tree = lab.git('rev-parse', `${lab.fixture.base}^{tree}`);
      const harmless = lab.git('commit-tree', tree, '-p', lab.fixture.base, '-m', 'harmless');
      lab.git('replace', bad, harmless);
      writeFileSync(join(lab.dotGit, 'info/grafts'), `${bad}\n`);
      writeFileSync(join(lab.dotGit, 'shallow'), `${bad}\n`);
    },
  ),
  hostile('a commit graph that is garbage', 'pushed', (lab) => {
    mkdirSync(join(lab.dotGit, 'objects/info'), { recursive: true });
    writeFileSync(join(lab.dotGit, 'objects/info/commit-graph'), randomBytes(4096));
    writeFileSync(join(lab.dotGit, 'objects/pack/multi-pack-index'), randomBytes(4096));
  }),
  hostile('packed refs made to confuse', 'pushed', (lab) => {
    const head = lab.git('rev-parse', 'HEAD');
    rmSync(join(lab.dotGit, 'refs/heads', BRANCH));
    const lines = [
      `ref: refs/heads/main`,
      '$(touch /workspace/traces/x)',
      '`touch /workspace/traces/x`',
      '^x',
      '\0',
    ];
    const evil = [`x refs/heads/${BRANCH}x`, `${head} refs/heads/../../x`, `; refs/heads/${BRANCH}`, '\\'];
    writeFileSync(
      join(lab.dotGit, 'packed-refs'),
      [...lines, ...evil, `${head} refs/heads/${BRANCH}`, ''].join('\n'),
    );
  }),
  hostile('a branch of another name', /the branch is not there/, (lab) => {
    const ref = join(lab.dotGit, 'refs/heads', BRANCH);
    renameSync(ref, `${ref}x`);
  }),
  hostile('a branch that stands for another one', /the branch is not there/, (lab) => {
    const ref = join(lab.dotGit, 'refs/heads', BRANCH);
    renameSync(ref, `${ref}x`);
    writeFileSync(ref, `ref: refs/heads/${BRANCH}x\n`);
  }),
  hostile('a branch whose tip is a command, a link or a flood', /the branch is not there/, (lab) => {
    const ref = join(lab.dotGit, 'refs/heads', BRANCH);
    writeFileSync(ref, '--upload-pack=touch /workspace/traces/x\n');
    truncateSync(ref, 8 * 1024 ** 3);
  }),
  hostile('packed refs without end', /the branch is not there/, (lab) => {
    rmSync(join(lab.dotGit, 'refs/heads', BRANCH));
    truncateSync(join(lab.dotGit, 'HEAD'), 8 * 1024 ** 3);
    writeFileSync(join(lab.dotGit, 'packed-refs'), '');
    truncateSync(join(lab.dotGit, 'packed-refs'), 8 * 1024 ** 3);
  }),
  ...['.git/hooks/post-checkout', '../ran-by-the-index'].map((path) =>
    hostile(`an index with ${path}`, 'pushed', (lab) => {
      const blob = lab.blob(`#!/bin/sh\n${lab.command}\n`);
      const stand = path.replace('.git/', 'Xgit/').replace('../', 'XX/');
      lab.git('update-index', '--add', '--cacheinfo', `100755,${blob},${stand}`);
      const index = readFileSync(join(lab.dotGit, 'index'));
      index.write(path, index.indexOf(stand), 'latin1');
      createHash('sha1')
        .update(index.subarray(0, -20))
        .digest()
        .copy(index, index.length - 20);
      writeFileSync(join(lab.dotGit, 'index'), index);
    }),
  ),
  hostile('an index that is garbage', 'pushed', (lab) => {
    writeFileSync(join(lab.dotGit, 'index'), randomBytes(4096));
  }),
  ...(
    [
      ['.git', 'hasDotgit'],
      ['.GIT', 'hasDotgit'],
      ['.Git', 'hasDotgit'],
      ['git~1', 'hasDotgit'],
      ['.gi\u200ct', 'hasDotgit'],
      ['..', 'hasDotdot'],
      ['.', 'hasDot'],
    ] as const
  ).map(([name, flaw]) =>
    hostile(
      `a commit with a directory ${JSON.stringify(name)}`,
      new RegExp(`does not accept the commits: .*${flaw}`, 'i'),
      (lab) => {
        const config = lab.blob('[core]\n\tfsmonitor = touch /tmp/x\n');
        lab.commitTree([['40000', name, lab.tree('config', config)]]);
      },
    ),
  ),
  hostile('a commit with a name that climbs', /does not accept the commits: .*fullPathname/i, (lab) => {
    lab.commitTree([['100644', '../../ran-on-the-host', lab.blob('x')]]);
  }),
  hostile('a .gitmodules that is a link', /does not accept the commits: .*gitmodules/i, (lab) => {
    lab.commitTree([['120000', '.gitmodules', lab.blob('/etc/passwd')]]);
  }),
  hostile('links out of the work tree, committed and not', 'pushed', (lab) => {
    for (const name of ['out', 'STUCK']) symlinkSync('/proc/1/root', join(lab.work, name));
    lab.git('add', 'out');
    lab.git('commit', '-q', '-m', 'link');
    for (const name of ['.gitignore', '.gitattributes']) symlinkSync('/dev/zero', join(lab.work, name));
  }),
  ...[
    '.git/index',
    '.git/HEAD',
    '.git/packed-refs',
    '.git/config',
    '.git/objects/pack/pack-evil.idx',
    '.git/info/exclude',
    '.gitignore',
    'deep/down/.gitattributes',
    'nested/.git/HEAD',
  ].map((path) =>
    hostile(`a pipe in the place of ${path}`, /named pipe/, (lab) => {
      lab.pipe(path);
    }),
  ),
  hostile('pipes where git only looks at what kind of file there is', 'pushed', (lab) => {
    for (const path of ['README.md', 'untracked', 'dir/untracked']) lab.pipe(path);
  }),
  hostile('a huge file without content, not committed', 'pushed', (lab) => {
    for (const name of ['huge', 'README.md', '.gitignore', 'STUCK.txt']) {
      writeFileSync(join(lab.work, name), '');
      truncateSync(join(lab.work, name), name === '.gitignore' ? 64 * 1024 ** 2 : 2 * 1024 ** 3);
    }
  }),
  hostile(
    'a small loose object that unpacks to a large one',
    /hold 134\d+ bytes|does not accept the commits/,
    (lab) => {
      // 128 MiB of zeros in 128 KiB.
      const file = join(lab.fixture.root, 'zeros');
      writeFileSync(file, '');
      truncateSync(file, 128 * 1024 ** 2);
      const blob = lab.git('hash-object', '-w', file);
      lab.git('update-index', '--add', '--cacheinfo', `100644,${blob},zeros`);
      lab.git('commit', '-q', '-m', 'zeros');
    },
  ),
];

describe('repositories made by a hostile agent', function () {
  this.timeout(240_000);
  const runtime = dockerBottleRuntime();
  const slug = `hostile-${randomBytes(4).toString('hex')}`;
  let scanner: GitleaksScanner;
  let lab: Lab;
  before(async () => {
    scanner = await GitleaksScanner.start({ program: gitleaksBinary() });
  });
  beforeEach(() => {
    lab = new Lab();
  });
  afterEach(() => {
    lab.fixture.remove();
  });
  after(async () => {
    assert.deepEqual(await runtime.list(slug), []);
  });

  const target = (timeoutMs = 120_000) => ({
    name: 'extract',
    slug,
    image: IMAGE,
    workspaceDir: lab.work,
    branch: BRANCH,
    boundaryFile: null,
    timeoutMs,
  });
  /** As the gate runs it, but for the workspace being writable: a command that ran has left its trace. */
  const run = (spec: OneShotSpec) =>
    runtime.runOnce({ ...spec, mounts: spec.mounts.map((mount) => ({ ...mount, readOnly: false })) });
  const giveToAgent = (): void => {
    execFileSync('chown', ['-hR', '1000:1000', lab.work]);
  };
  const traces = (): string[] => readdirSync(lab.traces);

  const endOf = async (): Promise<string> => {
    const output = await run(extractionSpec(target(), [lab.fixture.base], CAP));
    if (output.exitCode !== 0)
      return extractionFailure(output.exitCode) ?? `exit code ${String(output.exitCode)}`;
    const { bundle } = parseExtraction(output.stdout);
    if (bundle === null) return 'nothing';
    const bundleFile = join(lab.fixture.root, 'extracted.bundle');
    writeFileSync(bundleFile, bundle);
    const repository = lab.fixture.repository({ secrets: new SecretGuard(scanner, () => []) });
    const verdict = await lab.fixture.publish({ bundleFile }, repository);
    return verdict.kind === 'refused' ? verdict.reason : verdict.kind;
  };

  for (const { name, plant, end, works } of HOSTILE) {
    it(`${name}: nothing runs, and there is a clear end`, async () => {
      plant(lab);
      giveToAgent();
      const said = await endOf();
      if (end === 'pushed') assert.equal(said, 'pushed');
      else assert.match(said, end);
      // Whatever becomes of the patch, it ends, and nothing runs for it either.
      await run(patchSpec(target(), 100_000));
      assert.deepEqual(traces(), [], 'a planted command ran in the container');
      assert.equal(existsSync(lab.hostMark), false, 'a planted command ran on the host');
      assert.deepEqual(lab.fixture.quarantines(), []);
      if (end !== 'pushed') assert.equal(lab.fixture.forgeTip(), '');
      if (works === undefined) return;
      const argv = ['/bin/sh', '-c', `cd /workspace; ${works}; true`];
      await run({ ...extractionSpec(target(), [], CAP), argv });
      assert.notDeepEqual(traces(), [], 'ordinary git does not fall for it: this is no attack');
    });
  }

  it('a pipe that no list names holds the container until its time is over, and no longer', async () => {
    mkdirSync(join(lab.work, 'nested'));
    mkdirSync(join(lab.work, 'evil/objects'), { recursive: true });
    mkdirSync(join(lab.work, 'evil/refs'));
    writeFileSync(join(lab.work, 'nested/.git'), 'gitdir: ../evil\n');
    lab.pipe('evil/HEAD');
    giveToAgent();
    await assert.rejects(
      runtime.runOnce(extractionSpec(target(10_000), [lab.fixture.base], CAP)),
      (error) => error instanceof ContainerOverrunError && !error.retryable,
    );
  });
});
