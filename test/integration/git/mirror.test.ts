import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mirrorDirectory } from '../../../src/adapters/git/mirror.js';
import { ownIdentity, startTimeOf } from '../../../src/adapters/system/process-identity.js';
import { GitError, InvalidInputError } from '../../../src/domain/base/errors.js';
import { treeContent, type ObjectType } from '../../corpus/commits/packed-objects.js';
import { BRANCH, GitFixture, REPO, git, pushedVerdict } from './git-fixture.js';

describe('the mirror of a repository', () => {
  let fixture: GitFixture;
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });
  const pushBase = (content: string): string => fixture.pushBase('README.md', content);

  it('starts a new run from the default branch', async () => {
    assert.deepEqual(await fixture.repository().refresh(REPO, BRANCH, []), {
      startSha: fixture.base,
      baseBranch: 'main',
      baseSha: fixture.base,
      branchSha: null,
    });
  });

  it('starts one from a default branch in another script, and says so where no run can build on it', async () => {
    const repository = fixture.repository();
    const name = 'développement/#12';
    git(fixture.person, 'push', '-q', 'origin', `main:${name}`, 'main:odd(1)');
    git(fixture.forge, 'symbolic-ref', 'HEAD', `refs/heads/${name}`);
    const refs = await repository.refresh(REPO, BRANCH, []);
    assert.equal(refs.baseBranch, name);
    const file = join(fixture.root, 'refs.bundle');
    await repository.writeRefsBundle(REPO, refs, BRANCH, file);
    assert.equal(git(fixture.work, 'bundle', 'list-heads', file), `${refs.baseSha} refs/base/${name}`);
    fixture.commit(fixture.work, 'a.txt', 'a');
    assert.equal((await fixture.publish({ baseBranch: name })).kind, 'pushed');
    git(fixture.forge, 'symbolic-ref', 'HEAD', 'refs/heads/odd(1)');
    await assert.rejects(repository.refresh(REPO, 'bot-bottle/13-abcde', []), (error) => {
      assert.ok(error instanceof GitError && !error.retryable);
      assert.match(error.message, /default branch "odd\(1\)" of gitea:alice\/demo .*letters, digits/);
      return true;
    });
  });

  it('follows the base, and goes on from the run branch once it is there', async () => {
    const repository = fixture.repository();
    await repository.refresh(REPO, BRANCH, []);
    const baseSha = pushBase('more\n');
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    git(fixture.work, 'push', '-q', 'origin', BRANCH);
    assert.deepEqual(await repository.refresh(REPO, BRANCH, []), {
      startSha: head,
      baseBranch: 'main',
      baseSha,
      branchSha: head,
    });
    assert.equal(await repository.isAncestor(REPO, fixture.base, head), true);
    assert.equal(await repository.isAncestor(REPO, baseSha, head), false);
    // What was pushed and rewritten before the mirror saw it is no ancestor, and no fault.
    const unseen = '0123456789012345678901234567890123456789';
    assert.equal(await repository.isAncestor(REPO, unseen, head), false);
    await assert.rejects(repository.isAncestor(REPO, head, unseen), { name: 'GitError' });
  });

  it('forgets a branch that was deleted, also when one below its name takes its place', async () => {
    const repository = fixture.repository();
    git(fixture.person, 'push', '-q', 'origin', 'main:topic');
    assert.equal((await repository.refresh(REPO, BRANCH, ['topic'])).baseBranch, 'topic');
    git(fixture.person, 'push', '-q', 'origin', ':topic');
    git(fixture.person, 'push', '-q', 'origin', 'main:topic/one');
    assert.equal((await repository.refresh(REPO, BRANCH, ['topic'])).baseBranch, 'main');
    assert.equal((await repository.refresh(REPO, BRANCH, ['topic/one'])).baseBranch, 'topic/one');
  });

  it('takes the first base name that is a branch, however hostile the others are', async () => {
    git(fixture.person, 'push', '-q', 'origin', 'main:develop');
    const names = ['--upload-pack=touch /tmp/x', 'refs/tags/v1', '../main', 'nowhere', 'refs/heads/develop'];
    assert.equal((await fixture.repository().refresh(REPO, BRANCH, names)).baseBranch, 'develop');
    assert.equal((await fixture.repository().refresh(REPO, BRANCH, names.slice(0, 4))).baseBranch, 'main');
  });

  it('fails for good on an empty or missing repository', async () => {
    const empty = join(fixture.root, 'empty.git');
    git(fixture.root, 'init', '-q', '--bare', empty);
    const refresh = (url: string) => fixture.repository({ cloneUrl: () => url }).refresh(REPO, BRANCH, []);
    await assert.rejects(refresh(empty), { name: 'GitError', retryable: false, message: /is it empty/ });
    await assert.rejects(refresh(join(fixture.root, 'no.git')), { name: 'GitAccessError', retryable: false });
  });

  const HARMLESS = {
    'without an e-mail address': 'author alice 1 +0000',
    'with an e-mail address that is none': 'author alice <a<b> 1 +0000',
    'with a name that is none': 'author al>ice <a@b> 1 +0000',
    'without a name': 'author <a@b> 1 +0000',
    'without a space before the e-mail address': 'author alice<a@b> 1 +0000',
    'without a space before the date': 'author alice <a@b>1 +0000',
    'with a date that is none': 'author alice <a@b> then +0000',
    'with a date beyond all dates': `author alice <a@b> ${'9'.repeat(24)} +0000`,
    'with a date that begins with a zero': 'author alice <a@b> 01 +0000',
    'with a time zone that is none': 'author alice <a@b> 1 +00000000',
    'with two authors': 'author alice <a@b> 1 +0000\nauthor bob <a@b> 1 +0000',
    'with a byte of zero in its message': 'author alice <a@b> 1 +0000',
  };

  it('takes an old history with flaws that do no harm, and publishes what is built on it', async () => {
    const { person, work, base } = fixture;
    const zeroPadded = treeContent([
      { mode: '40000', name: 'd', id: git(person, 'rev-parse', 'HEAD^{tree}') },
    ]);
    const tree = putObject('tree', Buffer.concat([Buffer.from('0'), zeroPadded]));
    let parent = base;
    for (const [flaw, author] of Object.entries(HARMLESS))
      parent = putObject(
        'commit',
        `tree ${tree}\nparent ${parent}\n${author}\ncommitter a <a@b> 1 +0000\n\n${flaw}${flaw.includes('zero in') ? '\0' : ''}\n`,
      );
    git(person, 'push', '-q', 'origin', `${parent}:refs/heads/main`);
    git(person, 'push', '-q', 'origin', `${parent}:refs/heads/old`);
    assert.equal((await fixture.repository().refresh(REPO, BRANCH, [])).baseSha, parent);

    git(work, 'fetch', '-q', 'origin');
    git(work, 'reset', '-q', '--hard', parent);
    const head = fixture.commit(work, 'd/README.md', 'changed\n');
    assert.deepEqual(
      await fixture.publish({ baseSha: parent, bundleFile: fixture.bundle([parent]) }),
      pushedVerdict(head),
    );
  });

  const HARMFUL = {
    '.git': { mode: '40000', name: '.git' },
    '..': { mode: '40000', name: '..' },
    'a path': { mode: '40000', name: 'a/b' },
    'a link in the place of .gitmodules': { mode: '120000', name: '.gitmodules' },
  } as const;
  for (const [what, entry] of Object.entries(HARMFUL))
    it(`fails for good on a branch, whichever it is, with ${what} in its tree`, async () => {
      const { person } = fixture;
      const id = git(person, 'rev-parse', entry.mode === '40000' ? 'HEAD^{tree}' : 'HEAD:README.md');
      const tree = putObject('tree', treeContent([{ ...entry, id }]));
      const who = 'a <a@b> 1 +0000';
      const commit = putObject('commit', `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nx\n`);
      git(person, 'push', '-q', 'origin', `${commit}:refs/heads/other`);
      pushBase('more\n');
      await assert.rejects(fixture.repository().refresh(REPO, BRANCH, []), {
        ...{ name: 'GitError', retryable: false, away: false },
        message: /has an object that git does not accept.*(hasDot|fullPathname|gitmodulesSymlink)/,
      });
    });

  /** An object as no git makes it, in the person's repository. */
  function putObject(type: ObjectType, content: Buffer | string): string {
    const file = join(fixture.root, 'object');
    writeFileSync(file, content);
    return git(fixture.person, 'hash-object', '-t', type, '--literally', '-w', file);
  }

  it('refuses names and addresses that could be something else', async () => {
    for (const owner of ['..', '-x', 'a/b', '', 'a b']) {
      await assert.rejects(fixture.repository().refresh({ ...REPO, owner }, BRANCH, []), InvalidInputError);
    }
    const hostile = [
      'ext::sh -c "touch /tmp/x"',
      'ssh://x/y',
      '--upload-pack=x',
      'http://u:p@127.0.0.1/x',
      'relative',
    ];
    for (const url of hostile) {
      const repository = fixture.repository({ cloneUrl: () => url });
      await assert.rejects(repository.refresh(REPO, BRANCH, []), InvalidInputError);
    }
  });

  it('keeps repositories apart whose names differ in case only', () => {
    const [upper, lower] = ['Demo', 'demo'].map((repo) => mirrorDirectory('/m', { ...REPO, repo }));
    assert.notEqual(upper?.toLowerCase(), lower?.toLowerCase());
    assert.match(lower ?? '', /^\/m\/gitea\/alice\/demo-[0-9a-f]{12}\.git$/);
  });

  it('serves many callers at once, of one and of several processes', async () => {
    await fixture.repository().refresh(REPO, BRANCH, []);
    const baseSha = pushBase('new\n');
    // Two adapters share nothing but the disk, as two processes do.
    const repositories = [fixture.repository(), fixture.repository()];
    const calls = [1, 2, 3, 4].flatMap(() => repositories.map((one) => one.refresh(REPO, BRANCH, [])));
    for (const refs of await Promise.all(calls)) assert.equal(refs.baseSha, baseSha);
    const beside = readdirSync(join(mirrorDirectory(fixture.mirrorsDir, REPO), '..'));
    assert.equal(beside.length, 1, `left behind: ${beside.join(' ')}`);
  });

  it('goes on at once where the container of a killed worker was made anew, whatever its host is called', async () => {
    await fixture.repository().refresh(REPO, BRANCH, []);
    const lock = `${mirrorDirectory(fixture.mirrorsDir, REPO)}.lock`;
    const killed = { ...(await ownIdentity()), pidNamespace: 'pid:[1]', token: 'x' };
    // That of a version before, and one that was touched last a minute ago.
    for (const text of ['another-host\n7\n1\n', JSON.stringify(killed)]) {
      writeFileSync(lock, text);
      const aMinuteAgo = Date.now() / 1000 - 60;
      utimesSync(lock, aMinuteAgo, aMinuteAgo);
      const baseSha = pushBase(text);
      assert.equal((await fixture.repository().refresh(REPO, BRANCH, [])).baseSha, baseSha);
    }
  });

  it('takes over the lock of a process that is gone, and waits for one that lives', async () => {
    await fixture.repository().refresh(REPO, BRANCH, []);
    const lock = `${mirrorDirectory(fixture.mirrorsDir, REPO)}.lock`;
    const me = { ...(await ownIdentity()), token: 'x' };
    // This process's id with another start time: an earlier process that had the same id.
    writeFileSync(lock, JSON.stringify({ ...me, startTime: '1' }));
    const first = pushBase('one\n');
    assert.equal((await fixture.repository().refresh(REPO, BRANCH, [])).baseSha, first);

    const sleeper = spawn('sleep', ['60']);
    const ended = new Promise((resolve) => sleeper.once('close', resolve));
    try {
      const pid = sleeper.pid ?? -1;
      writeFileSync(lock, JSON.stringify({ ...me, pid, startTime: (await startTimeOf(pid)) ?? '' }));
      const second = pushBase('two\n');
      let done = false;
      const waiting = fixture
        .repository()
        .refresh(REPO, BRANCH, [])
        .finally(() => {
          done = true;
        });
      // Far longer than the call takes without the lock.
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(done, false);
      sleeper.kill('SIGKILL');
      assert.equal((await waiting).baseSha, second);
    } finally {
      sleeper.kill('SIGKILL');
      await ended;
    }
    assert.equal(existsSync(lock), false);
  });

  const STOPPED = [
    ['the lock of a ref', 'refs/heads/main.lock'],
    ['the lock of all refs', 'packed-refs.lock'],
    ['a ref that never reached the disk', 'refs/heads/main'],
    ['a HEAD that never reached the disk', 'HEAD'],
  ] as const;
  for (const [what, file] of STOPPED) {
    it(`goes on where a machine that stopped in the middle left ${what}`, async () => {
      git(fixture.person, 'push', '-q', 'origin', 'main:gone');
      await fixture.repository().refresh(REPO, BRANCH, []);
      const dir = mirrorDirectory(fixture.mirrorsDir, REPO);
      // Where a branch is deleted from.
      git(dir, 'pack-refs', '--all');
      git(fixture.person, 'push', '-q', 'origin', ':gone');
      const baseSha = pushBase('more\n');
      writeFileSync(join(dir, file), '');
      assert.equal((await fixture.repository().refresh(REPO, BRANCH, [])).baseSha, baseSha);
      assert.equal(
        git(dir, 'for-each-ref', '--format=%(objectname) %(refname)'),
        `${baseSha} refs/heads/main`,
      );
      assert.equal(git(dir, 'fsck', '--full', '--strict'), '');
    });
  }

  it('tells which blob a file of the root is, of the commits that have it', async () => {
    const { base, work } = fixture;
    fixture.commit(work, 'docs/STUCK.md', 'elsewhere');
    const head = fixture.commit(work, 'STUCK.md', 'help');
    git(work, 'push', '-q', 'origin', BRANCH);
    const repository = fixture.repository();
    await repository.refresh(REPO, BRANCH, []);
    const blob = git(work, 'rev-parse', 'HEAD:STUCK.md');
    assert.deepEqual(await repository.blobsOf(REPO, 'STUCK.md', [base, head]), [blob]);
    await assert.rejects(repository.blobsOf(REPO, 'STUCK.md', ['--help']), InvalidInputError);
    await assert.rejects(repository.blobsOf(REPO, 'STUCK.md', ['1'.repeat(40)]), GitError);
  });

  it('writes a bundle with exactly the refs that the entrypoint fetches, as they were read', async () => {
    const repository = fixture.repository();
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    git(fixture.work, 'push', '-q', 'origin', BRANCH);
    const refs = await repository.refresh(REPO, BRANCH, []);
    pushBase('later\n');
    await repository.refresh(REPO, BRANCH, []);
    const file = join(fixture.root, 'refs.bundle');
    // Of a git that was killed while it wrote the same bundle.
    writeFileSync(`${file}.lock`, '');
    await Promise.all([
      repository.writeRefsBundle(REPO, refs, BRANCH, file),
      repository.writeRefsBundle(
        REPO,
        { ...refs, branchSha: null },
        BRANCH,
        join(fixture.root, 'first.bundle'),
      ),
    ]);
    assert.equal(
      git(fixture.root, 'bundle', 'list-heads', file),
      `${fixture.base} refs/base/main\n${head} refs/pr/${BRANCH}`,
    );
    assert.equal(
      git(fixture.root, 'bundle', 'list-heads', join(fixture.root, 'first.bundle')),
      `${fixture.base} refs/base/main`,
    );
    assert.deepEqual(fixture.quarantines(), []);

    const clone = join(fixture.root, 'bottle');
    git(fixture.root, 'init', '-q', clone);
    git(
      clone,
      'fetch',
      '-q',
      '--no-tags',
      file,
      '+refs/base/*:refs/remotes/base/*',
      '+refs/pr/*:refs/remotes/pr/*',
    );
    assert.equal(git(clone, 'rev-parse', `refs/remotes/pr/${BRANCH}`), head);
  });

  it('is left with no repository that a crash left behind a day ago', async () => {
    const scratch = join(fixture.mirrorsDir, '.scratch');
    for (const [name, age] of [
      ['old', 25],
      ['under-way', 23],
    ] as const) {
      mkdirSync(join(scratch, name), { recursive: true });
      const at = Date.now() / 1000 - age * 3600;
      utimesSync(join(scratch, name), at, at);
    }
    assert.equal(await fixture.repository().removeLeftBehind(), 1);
    assert.deepEqual(readdirSync(scratch), ['under-way']);
  });

  it('keeps no pack that a fetch which was ended in the middle left half', async () => {
    const repository = fixture.repository();
    await repository.refresh(REPO, BRANCH, []);
    const packs = join(mirrorDirectory(fixture.mirrorsDir, REPO), 'objects', 'pack');
    for (const [name, minutes] of [
      ['tmp_pack_oldOne', 11],
      ['tmp_pack_underWay', 9],
      ['.tmp-1-pack-old.idx', 11],
    ] as const) {
      writeFileSync(join(packs, name), 'half');
      const at = Date.now() / 1000 - minutes * 60;
      utimesSync(join(packs, name), at, at);
    }
    pushBase('more\n');
    await repository.refresh(REPO, BRANCH, []);
    const left = readdirSync(packs).filter((name) => !name.startsWith('pack-'));
    assert.deepEqual(left, ['tmp_pack_underWay']);
  });

  it('rolls up its packs and loses nothing', async function () {
    this.timeout(60_000);
    const repository = fixture.repository();
    for (let i = 0; i < 52; i += 1) {
      pushBase(`round ${String(i)}\n`);
      await repository.refresh(REPO, BRANCH, []);
    }
    const dir = mirrorDirectory(fixture.mirrorsDir, REPO);
    const packs = readdirSync(join(dir, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
    assert.ok(packs.length < 20, String(packs.length));
    assert.equal(git(dir, 'fsck', '--full', '--strict'), '');
  });
});
