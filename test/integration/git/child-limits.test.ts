import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InQuarantine } from '../../../src/adapters/git/check/candidate.js';
import { searchObjects } from '../../../src/adapters/git/check/search-objects.js';
import { GIT_LIMITS, type GitLimits } from '../../../src/adapters/git/git-limits.js';
import { readGitlinks, readGitmodules } from '../../../src/adapters/git/gitlinks.js';
import { GitleaksScanner, type GitleaksOptions } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { GitOverrunError, SecretScanOverrunError } from '../../../src/domain/base/errors.js';
import type { GitPublishVerdict } from '../../../src/domain/workspace/git-repository.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { MIB, directory, hostile, ofTree, file } from '../../corpus/commits/hostile-commits.js';
import type { HostileCommits } from '../../corpus/commits/hostile-commits.js';
import { repeated, type PackedObjects, type TreeEntry } from '../../corpus/commits/packed-objects.js';
import { fakeGitleaks } from '../../support/gitleaks/fake-gitleaks.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { BRANCH, GitFixture, REPO, git, reasonOf } from './git-fixture.js';

const AUTHOR = { name: 'agent', email: 'agent@example.test' };
/** Kept out of the way, so that the one limit that a test sets is what ends the process. */
const FAR = { memoryBytes: 1024 * MIB, cpuSeconds: 600, timeoutMs: 600_000 };
const TOO_MUCH = /more time or memory/;
const SIZES = { maxBytes: 256 * MIB, maxFiles: 5_000, maxFileBytes: 256 * MIB };

/** 96 MiB that git holds at once to resolve it. */
const LARGE_DELTA = hostile('a delta', 'published', (objects, place) => {
  const content = Buffer.alloc(MIB, 'text\n');
  const id = objects.blob(content);
  const large = objects.delta('blob', { id, content }, repeated(MIB, 96 * MIB));
  return ofTree(objects, place, [file('f', large)]);
});
const GITMODULES_OF_DELTA = hostile('.gitmodules', 'published', (objects, place) => {
  const text = '[submodule "a"]\n\tpath = b\n';
  const content = Buffer.alloc(MIB, text);
  const large = Buffer.alloc(96 * MIB, content);
  const id = objects.delta('blob', { id: objects.blob(content), content }, repeated(MIB, large.length));
  const small = objects.delta('blob', { id, content: large }, [{ offset: 0, length: text.length }]);
  return ofTree(objects, place, [file('.gitmodules', small)]);
});
/** Hours of walking, no output. */
const EMPTY_DIRECTORIES = hostile('empty directories', TOO_MUCH, (objects, place) =>
  ofTree(objects, place, [directory('d', doubled(objects, 30))]),
);
const DECLARED_IN_EMPTY_DIRECTORIES = hostile(
  '.gitmodules of empty directories',
  TOO_MUCH,
  (objects, place) =>
    ofTree(objects, place, [
      file('.gitmodules', objects.blob('[submodule "lib"]\n\tpath = lib\n\turl = ../lib.git\n')),
      directory('d', doubled(objects, 30)),
    ]),
);
/** 200 MB of names in 2 KB. */
const FILE_BOMB = hostile('files', TOO_MUCH, (objects, place) =>
  ofTree(objects, place, [directory('d', doubled(objects, 21, [file('f', objects.blob('f'))]))]),
);
const LARGE_FILE = hostile('a file', 'published', (objects, place) =>
  ofTree(objects, place, [file('f', objects.blob(Buffer.alloc(64 * MIB, 'lorem ipsum ')))]),
);

function doubled(objects: PackedObjects, levels: number, innermost: readonly TreeEntry[] = []): string {
  let tree = objects.tree(innermost);
  for (let level = 0; level < levels; level += 1)
    tree = objects.tree([directory('a', tree), directory('b', tree)]);
  return tree;
}

describe('a process that takes more than it may', function () {
  this.timeout(60_000);
  let fixture: GitFixture;
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });

  const written = ({ bundle }: HostileCommits): string => {
    const file = join(fixture.root, 'hostile.bundle');
    writeFileSync(file, bundle({ branch: BRANCH, base: fixture.base, author: AUTHOR, secret: '' }));
    return file;
  };
  const publish = (commits: HostileCommits, limits: GitLimits): Promise<GitPublishVerdict> =>
    fixture.publish({ bundleFile: written(commits), ...SIZES }, fixture.repository({ limits }));
  /** A commit that came with a bundle, as a forge or a quarantine has it. */
  const place = (commits: HostileCommits): string => {
    git(fixture.forge, 'fetch', '-q', written(commits), `refs/heads/${BRANCH}`);
    return git(fixture.forge, 'rev-parse', 'FETCH_HEAD');
  };
  const assertRefused = (verdict: GitPublishVerdict): void => {
    assert.match(reasonOf(verdict), TOO_MUCH);
    assert.equal(fixture.forgeTip(), '');
    assert.deepEqual(fixture.quarantines(), []);
  };

  it('git that runs out of memory refuses the commits, which pass with more', async () => {
    assertRefused(await publish(LARGE_DELTA, { ...FAR, memoryBytes: 96 * MIB }));
    assert.equal((await publish(LARGE_DELTA, GIT_LIMITS)).kind, 'pushed');
  });

  it('git that runs out of CPU refuses the commits', async () => {
    assertRefused(await publish(EMPTY_DIRECTORIES, { ...FAR, cpuSeconds: 1 }));
  });

  it('git that takes too long refuses the commits', async () => {
    assertRefused(await publish(EMPTY_DIRECTORIES, { ...FAR, timeoutMs: 1_000 }));
  });

  it('a search for known secrets that takes too much CPU is an overrun', async () => {
    const commit = place(LARGE_FILE);
    const id = git(fixture.forge, 'rev-parse', `${commit}:f`);
    // Gigabytes: more than a second's work of any machine, and git is the faster one of the two.
    const objects = Array.from({ length: 100 }, () => ({ id, type: 'blob', size: 64 * MIB }));
    const search = searchObjects({ dir: fixture.forge, limits: { ...FAR, cpuSeconds: 1 } }, objects, [
      { name: 's', value: 'lorem ipsum lorem ipsum lorem' },
    ]);
    await assert.rejects(search, (error) => {
      assert.ok(error instanceof GitOverrunError);
      assert.match(error.message, /the search for known secrets ended with SIG/);
      return true;
    });
  });

  describe('in the reading of submodules', () => {
    const within = (limits: Partial<GitLimits>): InQuarantine => ({
      dir: fixture.forge,
      limits: { ...FAR, ...limits },
    });

    it('git that runs out of memory is no missing .gitmodules', async () => {
      const commit = place(GITMODULES_OF_DELTA);
      await assert.rejects(readGitmodules(within({ memoryBytes: 96 * MIB }), commit), GitOverrunError);
      assert.deepEqual(await readGitmodules(within({}), commit), [{ name: 'a', path: 'b', url: '' }]);
    });

    for (const [what, limits] of [
      ['CPU', { cpuSeconds: 1 }],
      ['time', { timeoutMs: 1_000 }],
    ] as const)
      it(`git that takes too much ${what} is an overrun`, async () => {
        const commit = place(EMPTY_DIRECTORIES);
        await assert.rejects(readGitlinks(within(limits), commit), GitOverrunError);
      });

    it('git that lists more files than anybody has is stopped, and nothing of the list is held', async () => {
      const commit = place(FILE_BOMB);
      const before = process.memoryUsage().rss;
      await assert.rejects(readGitlinks(within({}), commit), {
        ...{ name: 'GitOverrunError', message: 'the tree has too many files' },
      });
      assert.ok(process.memoryUsage().rss - before < 128 * MIB);
    });

    it('what takes too long is left out, with the reason, and not tried again', async () => {
      const limits = { ...FAR, cpuSeconds: 1 };
      const repository = fixture.repository({ limits });
      place(DECLARED_IN_EMPTY_DIRECTORIES);
      git(fixture.forge, 'update-ref', `refs/heads/${BRANCH}`, 'FETCH_HEAD');
      const refs = await repository.refresh(REPO, BRANCH, []);
      const rules = { named: [], sparse: [] };
      const { placed, leftOut } = await repository.writeSubmodules(REPO, refs, fixture.root, rules);
      assert.deepEqual(placed, []);
      assert.deepEqual(leftOut, [
        { path: 'lib', reason: 'the tree that records it takes git more time or memory than it may have' },
      ]);
    });
  });

  describe('gitleaks', () => {
    let dir: string;
    before(() => {
      dir = mkdtempSync(join(tmpdir(), 'bot-bottle-limits-test-'));
    });
    after(() => {
      rmSync(dir, { recursive: true, force: true });
    });
    const FAR_SCAN = { cpuSeconds: 600, timeoutMs: 600_000 };

    /** The real one at the start, and then what the script does. */
    const greedy = async (script: string, options: Omit<GitleaksOptions, 'program'>) => {
      const calls = join(dir, 'calls');
      const begun = join(dir, 'begun');
      rmSync(begun, { force: true });
      writeFileSync(calls, '');
      const program = fakeGitleaks(
        dir,
        `[ -e ${begun} ] || exec ${gitleaksBinary()} "$@"\necho call >>${calls}\n${script}`,
      );
      const scanner = await GitleaksScanner.start({ program, ...FAR_SCAN, ...options });
      writeFileSync(begun, '');
      return scanner;
    };

    /** A real program that is refused memory; the words are Go's. */
    const EATS_MEMORY =
      'dd if=/dev/zero of=/dev/null bs=2G count=1 2>/dev/null || { echo "fatal error: out of memory" >&2; exit 2; }; echo "[]"; exit 7';
    const EATS_CPU = 'while :; do :; done';
    for (const [what, script, options] of [
      ['memory', EATS_MEMORY, { memoryBytes: 1_500_000 * 1024 }],
      ['CPU', EATS_CPU, { cpuSeconds: 1 }],
      ['time', 'sleep 600', { timeoutMs: 3_000 }],
    ] as const)
      it(`that eats ${what} is ended, not tried again, and nothing is published`, async () => {
        const scanner = await greedy(script, options);
        await assert.rejects(scanner.scanTexts([{ where: 'x', text: 'y' }]), SecretScanOverrunError);
        writeFileSync(join(dir, 'calls'), '');
        fixture.commit(fixture.work, 'a.txt', 'a');
        const repository = fixture.repository({ secrets: new SecretGuard(scanner, () => []) });
        const verdict = await fixture.publish({}, repository);
        assert.match(reasonOf(verdict), /could not be checked/);
        assert.equal(fixture.forgeTip(), '');
        assert.equal(readFileSync(join(dir, 'calls'), 'utf8'), 'call\ncall\n', 'the contents and the texts');
      });
  });
});
