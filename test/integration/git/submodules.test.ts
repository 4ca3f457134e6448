import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnSubmodules } from '../../../src/domain/workspace/submodules.js';
import type { TurnInput } from '../../../src/domain/run/run-files.js';
import { EntrypointRun, type EntrypointEnd } from '../../support/entrypoint/entrypoint-run.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { ForgePeople } from './forge-people.js';
import { BRANCH, GitFixture, git, reasonOf } from './git-fixture.js';

/** A real forge, its repositories as people push them, the host's git and the entrypoint in a container. */
describe('submodules in a workspace', function () {
  this.timeout(180_000);
  let gitea: Gitea;
  let fixture: GitFixture;
  let bottle: EntrypointRun;
  let people: ForgePeople;
  before(async () => {
    gitea = await sharedGitea();
  });
  beforeEach(() => {
    fixture = new GitFixture();
    people = new ForgePeople(gitea, fixture);
    bottle = new EntrypointRun();
  });
  afterEach(() => {
    bottle.remove();
    fixture.remove();
  });

  const gitlink = (dir: string, path: string, commit: string): void => {
    mkdirSync(join(dir, path), { recursive: true });
    git(dir, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  };
  const pushAll = (dir: string, name: string): string => {
    git(dir, 'commit', '-q', '-m', 'submodules');
    git(dir, 'push', '-q', people.address(name), 'HEAD:refs/heads/main');
    return git(dir, 'rev-parse', 'HEAD');
  };
  /** Declares submodules, puts those with a commit into the tree, and pushes that. */
  const pushSubmodules = (
    dir: string,
    name: string,
    entries: readonly (readonly [path: string, url: string, commit?: string])[],
  ): string => {
    const texts = entries.map(([path, url]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`);
    writeFileSync(join(dir, '.gitmodules'), texts.join(''));
    git(dir, 'add', '.gitmodules');
    for (const [path, , commit] of entries) if (commit !== undefined) gitlink(dir, path, commit);
    return pushAll(dir, name);
  };
  const prepare = async (name: string, rules = {}): Promise<TurnSubmodules & { startSha: string }> => {
    const refs = await people.adapter().refresh(people.repo(name), BRANCH, []);
    await people.adapter().writeRefsBundle(people.repo(name), refs, BRANCH, join(bottle.turn, 'refs.bundle'));
    const all = { named: [], sparse: [], ...rules };
    const submodules = await people.adapter().writeSubmodules(people.repo(name), refs, bottle.turn, all);
    return { ...submodules, startSha: refs.startSha };
  };
  const turn = async (
    script: string,
    { placed, startSha }: TurnSubmodules & { readonly startSha: string },
    input: Partial<TurnInput> = {},
  ): Promise<EntrypointEnd> => {
    const end = await bottle.run(script, { branch: BRANCH, start: startSha, submodules: placed, ...input });
    assert.equal(end.exitCode, 0, end.stderr);
    assert.doesNotMatch(end.stderr, /could not be (?:placed|fetched)/);
    return end;
  };

  it('are checked out at the recorded commit, without network, and git knows them', async () => {
    const [main, lib, inner] = [
      await people.addRepository(),
      await people.addRepository(),
      await people.addRepository(),
    ];
    const innerCommit = git(people.push(inner, { 'inner.txt': 'inner\n' }), 'rev-parse', 'HEAD');
    const libDir = people.push(lib, { 'lib.txt': 'old\n', 'more.txt': 'x' });
    const commit = pushSubmodules(libDir, lib, [['deep', `./../${inner}.git`, innerCommit]]);
    fixture.commit(libDir, 'lib.txt', 'newer, and not what is recorded\n', 'alice');
    git(libDir, 'push', '-q', people.address(lib), 'HEAD:refs/heads/main');
    const mainDir = people.push(main, { 'a.txt': 'a' });
    pushSubmodules(mainDir, main, [
      ['third party/lib', `../${lib}`, commit],
      ['abs', `${gitea.url}/alice/${inner}.git`, innerCommit],
    ]);

    const prepared = await prepare(main);
    assert.deepEqual(prepared.leftOut, []);
    assert.deepEqual(
      prepared.placed.map(({ parent, path }) => [parent, path]),
      [
        ['', 'abs'],
        ['', 'third party/lib'],
        ['third party/lib', 'deep'],
      ],
    );
    const end = await turn(
      [
        'git status --porcelain',
        'cat abs/inner.txt "third party/lib/lib.txt" "third party/lib/deep/inner.txt"',
        'git submodule status --recursive',
        'git -C "third party/lib" rev-list --count HEAD',
        'git -C "third party/lib" fsck --no-progress && git submodule update --recursive && echo updated',
        'git -C "third party/lib" remote; git config --get-regexp "^submodule.*url"',
      ].join('\n'),
      prepared,
    );
    assert.match(end.stdout, /^inner\nold\ninner\n/);
    assert.ok(end.stdout.includes(` ${innerCommit} abs`), end.stdout);
    assert.ok(end.stdout.includes(` ${commit} third party/lib`), end.stdout);
    assert.ok(end.stdout.includes(` ${innerCommit} third party/lib/deep`), end.stdout);
    assert.match(end.stdout, /\n1\n(?:.*\n)*updated\n/);
    assert.ok(end.stdout.endsWith(`lib.url ${gitea.url}/alice/${lib}.git\n`), end.stdout);
    const mirrors = readdirSync(join(fixture.mirrorsDir, 'gitea', 'alice')).filter((one) =>
      one.endsWith('.git'),
    );
    assert.equal(mirrors.length, 3);
  });

  it('get what the base records by now, and are brought where a rewritten branch has them', async () => {
    const [main, lib] = [await people.addRepository(), await people.addRepository()];
    const libDir = people.push(lib, { 'lib.txt': 'one\n' });
    const mainDir = people.push(main, { 'a.txt': 'a' });
    pushSubmodules(mainDir, main, [['lib', `../${lib}.git`, git(libDir, 'rev-parse', 'HEAD')]]);
    git(mainDir, 'push', '-q', people.address(main), `HEAD:refs/heads/${BRANCH}`);
    await turn('echo mine >lib/mine.txt', await prepare(main));

    const two = fixture.commit(libDir, 'lib.txt', 'two\n', 'alice');
    git(libDir, 'push', '-q', people.address(lib), 'HEAD:refs/heads/main');
    gitlink(mainDir, 'lib', two);
    const head = pushAll(mainDir, main);
    const merged = await turn(
      'git merge -q --ff-only refs/remotes/base/main; git submodule --quiet update; cat lib/lib.txt lib/mine.txt',
      await prepare(main),
      { turn: 2 },
    );
    assert.equal(merged.stdout, 'two\nmine\n');

    // The agent went elsewhere with it, and a person rewrites the branch.
    await turn('git -C lib checkout -q --orphan own; echo own >lib/lib.txt', await prepare(main), {
      turn: 3,
    });
    git(mainDir, 'push', '-q', '--force', people.address(main), `HEAD:refs/heads/${BRANCH}`);
    const reset = await turn('cat lib/lib.txt; git diff', await prepare(main), { turn: 4, resetTo: head });
    assert.equal(reset.stdout, 'two\n');
  });

  it('stay empty, with the reason, when they may not be read, are elsewhere or are no repository', async () => {
    const [main, secret, lib] = [
      await people.addRepository(),
      await people.addRepository(true),
      await people.addRepository(),
    ];
    const { api } = gitea.alice;
    await api.call('PUT', `/repos/alice/${secret}/collaborators/${gitea.bot.login}`, { permission: 'read' });
    const commit = git(people.push(secret, { 'secret.txt': 'canary-secret\n' }), 'rev-parse', 'HEAD');
    people.push(lib, { 'lib.txt': 'x' });
    const mainDir = people.push(main, { 'a.txt': 'a' });
    const urls = {
      abroad: 'https://git.example.org/alice/lib.git',
      gone: '../nowhere.git',
      missing: `../${lib}.git`,
      secret: `../${secret}.git`,
      shell: 'ssh://git@127.0.0.1/alice/lib.git',
    };
    gitlink(mainDir, 'undeclared', commit);
    pushSubmodules(
      mainDir,
      main,
      Object.entries(urls).map(([path, url]) => [path, url, commit] as const),
    );

    const prepared = await prepare(main);
    assert.deepEqual(prepared.placed, []);
    const reasons = Object.fromEntries(prepared.leftOut.map(({ path, reason }) => [path, reason]));
    assert.match(reasons['abroad'] ?? '', /not on this forge/);
    assert.match(reasons['gone'] ?? '', /alice\/nowhere is not there/);
    assert.match(
      reasons['missing'] ?? '',
      new RegExp(`no branch or tag of alice/${lib} .*${commit.slice(0, 12)}`),
    );
    assert.match(reasons['secret'] ?? '', /workspace\.submodule_repos/);
    assert.match(reasons['shell'] ?? '', /http\(s\) address/);
    assert.match(reasons['undeclared'] ?? '', /no entry/);
    const end = await turn('git status --porcelain; ls secret', prepared);
    assert.equal(end.stdout, '');

    // The mirror has it now, for a bottle of which the operator said so; that opens it to no other.
    const named = await prepare(main, { named: [`Alice/${secret}`] });
    assert.deepEqual(
      named.placed.map(({ path }) => path),
      ['secret'],
    );
    assert.equal((await turn('cat secret/secret.txt', named, { turn: 2 })).stdout, 'canary-secret\n');
    assert.deepEqual((await prepare(main)).placed, []);
  });

  it('never lead through a symbolic link, and only .gitmodules of the commit itself counts', async () => {
    const [main, lib] = [await people.addRepository(), await people.addRepository()];
    const commit = git(people.push(lib, { 'lib.txt': 'x' }), 'rev-parse', 'HEAD');
    const mainDir = people.push(main, { 'a.txt': 'a' });
    const blob = fixture.root + '/target';
    writeFileSync(blob, '.git');
    const id = git(mainDir, 'hash-object', '-w', blob);
    git(mainDir, 'update-index', '--add', '--cacheinfo', `120000,${id},link`);
    pushSubmodules(mainDir, main, [
      ['link/hooks', `../${lib}.git`],
      ['some/good', `../${lib}.git`, commit],
    ]);
    const prepared = await prepare(main);
    assert.deepEqual(prepared.leftOut, [
      { path: 'link/hooks', reason: 'the commit has no submodule at this path' },
    ]);
    await turn('test ! -e .git/hooks/lib.txt && cat some/good/lib.txt', prepared);
    assert.deepEqual((await prepare(main, { sparse: ['docs'] })).placed, []);
  });

  it('move on the branch only to what the forge has', async () => {
    const [main, lib] = [await people.addRepository(), await people.addRepository()];
    await gitea.alice.api.call('PUT', `/repos/alice/${main}/collaborators/${gitea.bot.login}`, {
      permission: 'write',
    });
    const libDir = people.push(lib, { 'lib.txt': 'one\n' });
    const mainDir = people.push(main, { 'a.txt': 'a' });
    const base = pushSubmodules(mainDir, main, [['lib', `../${lib}.git`, git(libDir, 'rev-parse', 'HEAD')]]);
    const there = fixture.commit(libDir, 'lib.txt', 'two\n', 'alice');
    git(libDir, 'push', '-q', people.address(lib), 'HEAD:refs/heads/next');
    const nowhere = fixture.commit(libDir, 'lib.txt', 'never pushed\n', 'alice');

    git(mainDir, 'checkout', '-q', '-b', BRANCH);
    const attempt = async (path: string, commit: string) => {
      git(mainDir, 'reset', '-q', '--hard', base);
      gitlink(mainDir, path, commit);
      git(mainDir, 'commit', '-q', '-m', 'moved');
      const bundleFile = join(fixture.root, 'out.bundle');
      git(mainDir, 'bundle', 'create', '-q', '--version=2', bundleFile, BRANCH, `^${base}`);
      return fixture.publish({ repo: people.repo(main), bundleFile, baseSha: base }, people.adapter());
    };
    assert.match(
      reasonOf(await attempt('lib', nowhere)),
      /submodule lib to .* no branch or tag of alice\/repo-/,
    );
    assert.match(reasonOf(await attempt('nested', there)), /submodule nested to .*no entry/);
    assert.equal((await attempt('lib', there)).kind, 'pushed');
  });
});
