import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  extractionFailure,
  extractionSpec,
  inspectionSpec,
  parseExtraction,
  parseInspection,
  patchSpec,
  type Extraction,
} from '../../../src/domain/bottle/extractor.js';
import type { OneShotSpec } from '../../../src/domain/bottle/bottle-runtime.js';
import { BRANCH, GitFixture, git, pushedVerdict } from './git-fixture.js';

const IMAGE = 'bot-bottle/base:bookworm';
const NAME = `extract-test-${randomBytes(4).toString('hex')}`;

/** A throw-away container as the security rules want it. */
function runOnce(spec: OneShotSpec): { exitCode: number; stdout: Buffer; stderr: string } {
  const [program = '', ...args] = spec.argv;
  const mounts = spec.mounts.flatMap(({ source, target, readOnly }) => [
    '--mount',
    `type=bind,source=${source},target=${target}${readOnly ? ',readonly' : ''}`,
  ]);
  const hardening = [
    '--init',
    '--network=none',
    '--read-only',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--user=1000:1000',
  ];
  const options = [
    '--rm',
    `--name=${spec.name}`,
    ...hardening,
    '--tmpfs=/tmp:size=64m,noexec',
    '--pids-limit=64',
    '--memory=512m',
  ];
  const result = spawnSync(
    'docker',
    ['run', ...options, ...mounts, `--entrypoint=${program}`, spec.image, ...args],
    {
      maxBuffer: spec.maxOutputBytes + 1024 * 1024,
      timeout: spec.timeoutMs,
      killSignal: 'SIGKILL',
    },
  );
  if (result.error !== undefined) {
    // The client was killed, the container goes on.
    spawnSync('docker', ['rm', '--force', spec.name]);
    throw result.error;
  }
  return { exitCode: result.status ?? -1, stdout: result.stdout, stderr: result.stderr.toString() };
}

describe('the extractor container on a real engine', function () {
  this.timeout(60_000);
  let fixture: GitFixture;
  before(function () {
    const image = spawnSync('docker', ['image', 'inspect', IMAGE]);
    if (image.status !== 0) this.skip();
  });
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });
  after(() => {
    const left = execFileSync('docker', ['ps', '-aq', '--filter', `name=${NAME}`]).toString();
    assert.equal(left, '');
  });

  const target = () => {
    execFileSync('chown', ['-R', '1000:1000', fixture.work]);
    return {
      name: NAME,
      slug: 'test',
      image: IMAGE,
      workspaceDir: fixture.work,
      boundaryFile: null,
      branch: BRANCH,
      timeoutMs: 30_000,
    };
  };
  // The test reads the work tree as its owner, so ownership is no matter to git.
  const inWork = (...args: readonly string[]) => {
    execFileSync('chown', ['-R', String(process.getuid?.()), fixture.work]);
    return git(fixture.work, ...args);
  };
  const extract = (known: readonly string[] = [fixture.base]): Extraction => {
    const output = runOnce(extractionSpec(target(), known, 1024 * 1024));
    assert.equal(output.exitCode, 0, output.stderr);
    return parseExtraction(output.stdout);
  };
  const exitOf = (): number => runOnce(extractionSpec(target(), [fixture.base], 1024 * 1024)).exitCode;
  const refusal = (): string => extractionFailure(exitOf()) ?? 'none';
  const publishExtracted = (extraction: Extraction) => {
    const file = join(fixture.root, 'extracted.bundle');
    assert.ok(extraction.bundle);
    writeFileSync(file, extraction.bundle);
    return fixture.publish({ bundleFile: file });
  };

  it('takes out what the gate then publishes, and reports what is not committed', async () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    fixture.write(fixture.work, 'README.md', 'changed\n');
    fixture.write(fixture.work, 'dir/new\nline \u202e.txt', 'x');
    const extraction = extract();
    assert.deepEqual(extraction.inspection, {
      head,
      stuck: null,
      uncommitted: ['README.md', 'dir/new\uFFFDline \uFFFD.txt'],
      uncommittedComplete: true,
    });
    assert.deepEqual(await publishExtracted(extraction), pushedVerdict(head, 1));
  });

  it('tells nothing new from a failure', () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    assert.equal(extract([head]).bundle, null);
    assert.equal(extract().inspection.head, head);
    // What the workspace does not know excludes nothing.
    assert.ok(extract(['0123456789012345678901234567890123456789', fixture.base]).bundle);
  });

  it('reads a packed branch', () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    git(fixture.work, 'pack-refs', '--all');
    assert.equal(extract().inspection.head, head);
  });

  it('names the blob of STUCK.md', () => {
    const inspect = () => {
      const output = runOnce(inspectionSpec(target()));
      assert.equal(output.exitCode, 0, output.stderr);
      return parseInspection(output.stdout).stuck;
    };
    assert.equal(inspect(), null);
    fixture.write(fixture.work, 'STUCK.md', 'no idea\n');
    assert.equal(inspect(), inWork('hash-object', 'STUCK.md'));
    rmSync(join(fixture.work, 'STUCK.md'));
    symlinkSync('/etc/passwd', join(fixture.work, 'STUCK.md'));
    assert.match(inspect() ?? '', /^[0-9a-f]{40}$/);
  });

  it('caps the list of uncommitted paths and says so', () => {
    for (let i = 0; i < 300; i += 1) fixture.write(fixture.work, `file-${String(i)}`, '');
    const { inspection } = extract();
    assert.equal(inspection.uncommitted.length, 200);
    assert.equal(inspection.uncommittedComplete, false);
    for (let i = 0; i < 400; i += 1) fixture.write(fixture.work, `${String(i)}${'x'.repeat(240)}`, '');
    assert.equal(extract().inspection.uncommittedComplete, false);
  });

  it('is not fooled by files named like refs and commits', () => {
    const head = fixture.commit(fixture.work, `refs/heads/${BRANCH}`, 'x');
    fixture.write(fixture.work, fixture.base, 'x');
    fixture.write(fixture.work, head, 'x');
    fixture.write(fixture.work, 'HEAD', 'x');
    assert.ok(extract().bundle);
  });

  it('makes a patch that brings back everything uncommitted', () => {
    fixture.commit(fixture.work, 'kept.txt', 'one\n');
    fixture.commit(fixture.work, 'gone.txt', 'two\n');
    fixture.write(fixture.work, 'kept.txt', 'changed\n');
    rmSync(join(fixture.work, 'gone.txt'));
    fixture.write(fixture.work, 'new dir/bin', Buffer.from([0, 1, 2, 255]));
    fixture.write(fixture.work, '.gitignore', 'ignored\n');
    fixture.write(fixture.work, 'ignored', 'x');
    const output = runOnce(patchSpec(target(), 100_000));
    assert.equal(output.exitCode, 0, output.stderr);

    const copy = join(fixture.root, 'copy');
    inWork('worktree', 'add', '-q', '--detach', copy, BRANCH);
    writeFileSync(join(fixture.root, 'p'), output.stdout);
    git(copy, 'apply', join(fixture.root, 'p'));
    assert.equal(readFileSync(join(copy, 'kept.txt'), 'utf8'), 'changed\n');
    assert.deepEqual(readFileSync(join(copy, 'new dir/bin')), Buffer.from([0, 1, 2, 255]));
    assert.deepEqual(readdirSync(copy).sort(), ['.git', '.gitignore', 'README.md', 'kept.txt', 'new dir']);

    // Without a place in the patch it is not read either: all of it would take minutes.
    fixture.write(fixture.work, 'hole', '');
    truncateSync(join(fixture.work, 'hole'), 64 * 1024 ** 3);
    const without = runOnce(patchSpec(target(), 100_000));
    assert.deepEqual([without.exitCode, without.stdout], [0, output.stdout]);

    for (const name of ['large', 'larger']) fixture.write(fixture.work, name, randomBytes(90_000));
    const cut = runOnce(patchSpec(target(), 100_000));
    assert.deepEqual([cut.exitCode, cut.stdout.length], [0, 100_000]);
  });

  describe('a hostile workspace', () => {
    /** A program that leaves a trace in the one place that every uid may write: a directory mounted for it. */
    let traces: string;
    let plant: string;
    beforeEach(() => {
      traces = join(fixture.work, 'traces');
      mkdirSync(traces);
      chmodSync(traces, 0o777);
      plant = join(fixture.work, '.git', 'plant');
      writeFileSync(plant, '#!/bin/sh\n: >/workspace/traces/$$.ran\nexit 1\n', { mode: 0o755 });
    });
    /** The same mounts, but the workspace writable: a planted command that runs is seen. */
    const withTraces = (spec: OneShotSpec): OneShotSpec => ({
      ...spec,
      mounts: spec.mounts.map((mount) => ({ ...mount, readOnly: false })),
    });
    const runTraced = (): number[] => {
      const specs = [extractionSpec(target(), [fixture.base], 1024 * 1024), patchSpec(target(), 100_000)];
      const codes = specs.map((spec) => runOnce(withTraces(spec)).exitCode);
      assert.deepEqual(readdirSync(traces), [], 'a planted command ran');
      return codes;
    };
    /** Ordinary git in the same container: what the attack does where nobody defends. */
    const ranByOrdinaryGit = (command: string): boolean => {
      const spec = withTraces({
        ...inspectionSpec(target()),
        argv: ['/bin/sh', '-c', `cd /workspace; ${command}`],
      });
      runOnce(spec);
      const ran = readdirSync(traces).length > 0;
      for (const name of readdirSync(traces)) rmSync(join(traces, name));
      return ran;
    };

    it('runs no command planted as a promisor remote, with an object missing', () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const blob = git(fixture.work, 'rev-parse', 'HEAD:a.txt');
      rmSync(join(fixture.work, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      git(fixture.work, 'config', 'core.repositoryFormatVersion', '1');
      git(fixture.work, 'config', 'extensions.partialClone', 'evil');
      git(fixture.work, 'config', 'remote.evil.promisor', 'true');
      git(fixture.work, 'config', 'remote.evil.url', 'ext::/workspace/.git/plant');
      git(fixture.work, 'config', 'protocol.allow', 'always');
      git(fixture.work, 'config', 'protocol.ext.allow', 'always');
      assert.equal(runTraced()[0], 70);
      assert.ok(ranByOrdinaryGit(`git bundle create /tmp/b ${BRANCH}`), 'the attack does not work at all');
    });

    it('runs no fsmonitor, hook, filter, textconv or external diff', () => {
      const head = fixture.commit(fixture.work, '.gitattributes', '* filter=evil diff=evil\n');
      fixture.write(fixture.work, 'README.md', 'jello\n');
      for (const key of [
        'core.fsmonitor',
        'filter.evil.clean',
        'filter.evil.process',
        'diff.evil.textconv',
        'diff.evil.command',
        'diff.external',
        'core.pager',
      ]) {
        git(fixture.work, 'config', key, '/workspace/.git/plant');
      }
      git(fixture.work, 'config', 'core.hooksPath', '/workspace/.git/evil-hooks');
      mkdirSync(join(fixture.work, '.git/evil-hooks'));
      for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit']) {
        symlinkSync('../plant', join(fixture.work, '.git/evil-hooks', hook));
      }
      assert.deepEqual(runTraced(), [0, 0]);
      assert.ok(ranByOrdinaryGit('git status'), 'the attack does not work at all');
      assert.equal(extract().inspection.head, head);
    });

    it('does not enter a nested repository', () => {
      const nested = join(fixture.work, 'nested');
      git(fixture.root, 'init', '-q', nested);
      git(nested, 'commit', '-q', '--allow-empty', '-m', 'x');
      git(fixture.work, 'add', 'nested');
      git(fixture.work, 'commit', '-q', '-m', 'gitlink');
      fixture.write(nested, 'file', 'x');
      git(nested, 'config', 'core.fsmonitor', '/workspace/.git/plant');
      assert.deepEqual(runTraced(), [0, 0]);
      assert.ok(ranByOrdinaryGit('git status'), 'the attack does not work at all');
    });

    it('shows what is committed, not what replace refs or grafts say', async () => {
      const bad = fixture.commit(fixture.work, '.gitea/workflows/x.yml', 'evil');
      const tree = git(fixture.work, 'rev-parse', `${fixture.base}^{tree}`);
      const harmless = git(fixture.work, 'commit-tree', tree, '-p', fixture.base, '-m', 'harmless');
      git(fixture.work, 'replace', bad, harmless);
      rmSync(traces, { recursive: true });
      const extraction = extract();
      assert.equal(extraction.inspection.head, bad);
      const verdict = await publishExtracted(extraction);
      assert.equal(verdict.kind, 'refused');
    });

    it('refuses a .git file, a .git link, alternates, a common directory and a missing branch', () => {
      const dotGit = join(fixture.work, '.git');
      const elsewhere = join(fixture.work, 'elsewhere');
      const info = join(dotGit, 'objects/info');
      mkdirSync(info, { recursive: true });

      writeFileSync(join(info, 'alternates'), '/workspace/elsewhere/objects\n');
      assert.match(refusal(), /alternates/);
      rmSync(join(info, 'alternates'));
      symlinkSync('nowhere', join(info, 'alternates'));
      assert.match(refusal(), /alternates/);
      rmSync(join(info, 'alternates'));

      writeFileSync(join(dotGit, 'commondir'), '/workspace/elsewhere\n');
      assert.match(refusal(), /no ordinary \.git/);
      rmSync(join(dotGit, 'commondir'));

      renameSync(join(dotGit, 'refs/heads', BRANCH), join(dotGit, 'refs/heads', `${BRANCH}x`));
      assert.match(refusal(), /branch is not there/);
      writeFileSync(join(dotGit, 'refs/heads', BRANCH), `ref: refs/heads/${BRANCH}x\n`);
      assert.match(refusal(), /branch is not there/);

      renameSync(dotGit, elsewhere);
      writeFileSync(dotGit, 'gitdir: elsewhere\n');
      assert.match(refusal(), /no ordinary \.git/);
      rmSync(dotGit);
      symlinkSync('elsewhere', dotGit);
      assert.match(refusal(), /no ordinary \.git/);
    });

    it('ends with an error on a damaged object, and the output is void', () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const blob = git(fixture.work, 'rev-parse', 'HEAD:a.txt');
      const file = join(fixture.work, '.git/objects', blob.slice(0, 2), blob.slice(2));
      chmodSync(file, 0o644);
      writeFileSync(file, 'damaged');
      assert.equal(exitOf(), 70);
    });
  });
});
