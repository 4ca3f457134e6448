import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import {
  extractionSpec,
  parseExtraction,
  patchLoss,
  patchSpec,
  type Extraction,
} from '../../../src/domain/bottle/extractor.js';
import type { OneShotSpec } from '../../../src/domain/bottle/bottle-runtime.js';
import { BRANCH, GitFixture, git, pushedVerdict } from './git-fixture.js';

const IMAGE = 'bot-bottle/base:bookworm';

describe('the extractor container on a real engine', function () {
  this.timeout(60_000);
  const runtime = dockerBottleRuntime();
  const slug = `extract-${randomBytes(4).toString('hex')}`;
  let fixture: GitFixture;
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });
  after(async () => {
    assert.deepEqual(await runtime.list(slug), []);
  });

  const target = () => {
    execFileSync('chown', ['-hR', '1000:1000', fixture.work]);
    return {
      name: 'extract-test',
      slug,
      image: IMAGE,
      workspaceDir: fixture.work,
      boundaryFile: null,
      branch: BRANCH,
      timeoutMs: 30_000,
    };
  };
  // The test reads the work tree as its owner, so ownership is no matter to git.
  const inWork = (...args: readonly string[]) => {
    execFileSync('chown', ['-hR', String(process.getuid?.()), fixture.work]);
    return git(fixture.work, ...args);
  };
  const output = async (spec: OneShotSpec): Promise<Uint8Array> => {
    const { exitCode, stdout, stderr } = await runtime.runOnce(spec);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const extract = async (known: readonly string[] = [fixture.base]): Promise<Extraction> =>
    parseExtraction(await output(extractionSpec(target(), known, 1024 * 1024)));

  it('takes out what the gate then publishes, and reports what is not committed', async () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    fixture.write(fixture.work, 'README.md', 'changed\n');
    fixture.write(fixture.work, 'dir/new\nline \u202e.txt', 'x');
    const { inspection, bundle } = await extract();
    assert.deepEqual(inspection, {
      head,
      stuck: null,
      uncommitted: ['README.md', 'dir/new\uFFFDline \uFFFD.txt'],
    });
    const bundleFile = join(fixture.root, 'extracted.bundle');
    writeFileSync(bundleFile, bundle ?? '');
    assert.deepEqual(await fixture.publish({ bundleFile }), pushedVerdict(head));
  });

  it('tells nothing new from a failure', async () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    assert.equal((await extract([head])).bundle, null);
    // What the workspace does not know excludes nothing.
    assert.ok((await extract(['0123456789012345678901234567890123456789', fixture.base])).bundle);
  });

  it('reads a packed branch', async () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    git(fixture.work, 'pack-refs', '--all');
    assert.equal((await extract()).inspection.head, head);
  });

  it('names the blob of STUCK.md', async () => {
    const inspect = async () => (await extract()).inspection.stuck;
    assert.equal(await inspect(), null);
    fixture.write(fixture.work, 'STUCK.md', 'no idea\n');
    assert.equal(await inspect(), inWork('hash-object', 'STUCK.md'));
    rmSync(join(fixture.work, 'STUCK.md'));
    symlinkSync('/etc/passwd', join(fixture.work, 'STUCK.md'));
    assert.match((await inspect()) ?? '', /^[0-9a-f]{40}$/);
  });

  it('caps the list of uncommitted paths', async () => {
    for (let i = 0; i < 300; i += 1) fixture.write(fixture.work, `file-${String(i)}`, '');
    assert.equal((await extract()).inspection.uncommitted.length, 200);
    for (let i = 0; i < 400; i += 1) fixture.write(fixture.work, `${String(i)}${'x'.repeat(240)}`, '');
    assert.equal((await extract()).inspection.uncommitted.length, 200);
  });

  it('is not fooled by files named like refs and commits', async () => {
    const head = fixture.commit(fixture.work, `refs/heads/${BRANCH}`, 'x');
    fixture.write(fixture.work, fixture.base, 'x');
    fixture.write(fixture.work, head, 'x');
    fixture.write(fixture.work, 'HEAD', 'x');
    assert.ok((await extract()).bundle);
  });

  it('makes a patch that brings back everything uncommitted', async () => {
    fixture.commit(fixture.work, 'kept.txt', 'one\n');
    fixture.commit(fixture.work, 'gone.txt', 'two\n');
    fixture.write(fixture.work, 'kept.txt', 'changed\n');
    rmSync(join(fixture.work, 'gone.txt'));
    fixture.write(fixture.work, 'new dir/bin', Buffer.from([0, 1, 2, 255]));
    fixture.write(fixture.work, '.gitignore', 'ignored\n');
    fixture.write(fixture.work, 'ignored', 'x');
    const patch = await output(patchSpec(target(), 100_000));

    const copy = join(fixture.root, 'copy');
    inWork('worktree', 'add', '-q', '--detach', copy, BRANCH);
    writeFileSync(join(fixture.root, 'p'), patch);
    git(copy, 'apply', join(fixture.root, 'p'));
    assert.equal(readFileSync(join(copy, 'kept.txt'), 'utf8'), 'changed\n');
    assert.deepEqual(readFileSync(join(copy, 'new dir/bin')), Buffer.from([0, 1, 2, 255]));
    assert.deepEqual(readdirSync(copy).sort(), ['.git', '.gitignore', 'README.md', 'kept.txt', 'new dir']);

    // Without a place in the patch it is not read either: all of it would take minutes.
    fixture.write(fixture.work, 'hole', '');
    truncateSync(join(fixture.work, 'hole'), 64 * 1024 ** 3);
    const holed = await runtime.runOnce(patchSpec(target(), 100_000));
    assert.deepEqual(holed.stdout, patch);
    assert.equal(patchLoss(holed, 100_000), '1 untracked left out');

    for (const name of ['large', 'larger']) fixture.write(fixture.work, name, randomBytes(90_000));
    assert.equal((await output(patchSpec(target(), 100_000))).length, 100_000);
  });
});
