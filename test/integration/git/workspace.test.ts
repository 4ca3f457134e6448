import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import {
  extractionFailure,
  extractionSpec,
  parseExtraction,
  patchSpec,
} from '../../../src/domain/bottle/extractor.js';
import type { TurnRefs } from '../../../src/domain/workspace/git-repository.js';
import type { TurnInput } from '../../../src/domain/run/run-files.js';
import { EntrypointRun, type EntrypointEnd } from '../../support/entrypoint/entrypoint-run.js';
import { BRANCH, GitFixture, REPO, git } from './git-fixture.js';

const IMAGE = 'bot-bottle/base:bookworm';
const MIB = 1024 * 1024;

/** From the forge through bundle, entrypoint, agent and extractor to the publish gate, as a run does it. */
describe('a workspace with less than the whole repository', function () {
  this.timeout(120_000);
  const runtime = dockerBottleRuntime();
  const slug = `wsp-alice-demo-1-${randomBytes(4).toString('hex')}`;
  let fixture: GitFixture;
  let bottle: EntrypointRun;
  let boundary: readonly string[];
  beforeEach(() => {
    fixture = new GitFixture();
    bottle = new EntrypointRun();
    boundary = [];
  });
  afterEach(() => {
    bottle.remove();
    fixture.remove();
  });

  const pushBase = (count: number): string => {
    let sha = '';
    for (let i = 0; i < count; i += 1)
      sha = fixture.commit(fixture.person, 'README.md', randomBytes(8).toString('hex'), 'alice');
    git(fixture.person, 'push', '-q', 'origin', 'main');
    return sha;
  };
  const refresh = (): Promise<TurnRefs> => fixture.repository().refresh(REPO, BRANCH, []);
  const turn = async (script: string, input: Partial<TurnInput> = {}): Promise<EntrypointEnd> => {
    const refs = await refresh();
    const file = join(bottle.turn, 'refs.bundle');
    await fixture.repository().writeRefsBundle(REPO, refs, BRANCH, file, boundary);
    const end = await bottle.run(script, {
      branch: BRANCH,
      start: refs.startSha,
      shallow: boundary,
      ...input,
    });
    assert.equal(end.exitCode, 0, end.stderr);
    return end;
  };
  const target = () => ({
    name: 'workspace-test',
    slug,
    image: IMAGE,
    workspaceDir: bottle.workspace,
    boundaryFile: boundary.length === 0 ? null : join(bottle.turn, 'shallow'),
    branch: BRANCH,
    timeoutMs: 60_000,
  });
  const extract = async (known: readonly string[]) => {
    const output = await runtime.runOnce(extractionSpec(target(), known, MIB));
    assert.equal(output.exitCode, 0, output.stderr);
    return parseExtraction(output.stdout);
  };
  const publish = async (known: readonly string[], baseSha: string) => {
    const { bundle } = await extract(known);
    assert.ok(bundle);
    const bundleFile = join(fixture.root, 'extracted.bundle');
    writeFileSync(bundleFile, bundle);
    return fixture.publish({ bundleFile, baseSha });
  };
  const cut = async (depth: number): Promise<TurnRefs> => {
    const refs = await refresh();
    boundary = await fixture.repository().boundary(REPO, refs, depth);
    return refs;
  };
  const COMMIT = 'echo work >>work.txt; git add -A; git commit -qm work';

  it('has the last commits only, and its work is published on all of them', async () => {
    pushBase(20);
    const { baseSha } = await cut(3);
    assert.deepEqual(boundary, [git(fixture.person, 'rev-parse', 'main~2')]);
    const end = await turn(
      `git rev-list --count HEAD; git fsck --connectivity-only; ${COMMIT}; cat README.md`,
    );
    assert.match(end.stdout, /^3\n[0-9a-f]{16}$/);
    const verdict = await publish([baseSha], baseSha);
    assert.equal(verdict.kind, 'pushed');
    assert.equal(git(fixture.forge, 'rev-list', '--count', BRANCH), '22');
  });

  it('ends where it began when the base moves on by more, so that the base can be merged', async () => {
    pushBase(20);
    const first = await cut(2);
    await turn(COMMIT);
    assert.equal((await publish([first.baseSha], first.baseSha)).kind, 'pushed');
    const baseSha = pushBase(10);
    const end = await turn('git merge -q -m merged refs/remotes/base/main && git rev-list --count HEAD');
    // Two of the old history, ten new ones, the work and the merge.
    assert.match(end.stdout, /^14$/m);
    const refs = await refresh();
    assert.equal(refs.baseSha, baseSha);
    const verdict = await publish([refs.baseSha, refs.startSha], refs.startSha);
    assert.equal(verdict.kind, 'pushed');
  });

  it('reaches back to where a branch that is there has left its base, so that the base can be merged', async () => {
    pushBase(20);
    git(fixture.person, 'checkout', '-q', '-b', 'theirs', 'main~7');
    for (const path of ['one.txt', 'two.txt']) fixture.commit(fixture.person, path, path, 'alice');
    git(fixture.person, 'push', '-q', 'origin', `theirs:${BRANCH}`);
    const refs = await cut(1);
    const merge =
      'git rev-list --count --all; git merge -q -m merged refs/remotes/base/main && git status --short';
    const end = await turn(merge, { start: refs.startSha });
    // Eight of each, of which one is the last that both have: no more than that needs, and no error.
    assert.equal(end.stdout, '15\n');
    const verdict = await publish([refs.baseSha, refs.startSha], refs.startSha);
    assert.equal(verdict.kind, 'pushed', JSON.stringify(verdict));
  });

  it('is taken out also when the forge forgot the branch it began from', async () => {
    pushBase(5);
    const { baseSha } = await cut(2);
    await turn(COMMIT);
    git(fixture.person, 'reset', '-q', '--hard', fixture.base);
    fixture.commit(fixture.person, 'other.txt', 'rewritten', 'alice');
    git(fixture.person, 'push', '-q', '--force', 'origin', 'main');
    const refs = await refresh();
    const { bundle, inspection } = await extract([refs.baseSha]);
    assert.ok(bundle);
    const bundleFile = join(fixture.root, 'extracted.bundle');
    writeFileSync(bundleFile, bundle);
    const verdict = await fixture.publish({ bundleFile, baseSha });
    assert.ok(verdict.kind === 'pushed', JSON.stringify(verdict));
    assert.equal(verdict.head, inspection.head);
    assert.equal(git(fixture.forge, 'rev-list', '--count', BRANCH, '--not', 'main'), '6');
  });

  it('has what moved also after a fetch that was killed', async () => {
    await cut(1);
    await turn(COMMIT);
    const locks = 'packed-refs.lock shallow.lock refs/remotes/base/main.lock refs/heads/other.lock';
    const link = 'touch ../a.lock && ln -s /workspace linked';
    bottle.inside(`cd /workspace/.git && mkdir -p refs/remotes/base && touch ${locks} && ${link}`);
    const baseSha = pushBase(1);
    const end = await turn("git rev-parse refs/remotes/base/main; find . -name '*.lock'");
    assert.equal(end.stderr.includes('could not be fetched'), false);
    assert.equal(end.stdout, `${baseSha}\n./a.lock\n`);
  });

  it('cannot be cut shorter by the agent', async () => {
    pushBase(5);
    const { baseSha } = await cut(2);
    // Three commits; the second is declared to be where the history ends.
    await turn(`${COMMIT}; ${COMMIT}; git rev-parse HEAD >.git/shallow; ${COMMIT}`);
    const verdict = await publish([baseSha], baseSha);
    assert.equal(verdict.kind, 'pushed');
    assert.equal(git(fixture.forge, 'rev-list', '--count', BRANCH), '9');
  });

  it('with a commit whose parent is not there gives nothing away', async () => {
    pushBase(5);
    const { baseSha } = await cut(2);
    await turn(
      [
        'tree=$(git write-tree)',
        "head=$(printf 'tree %s\\nparent 1111111111111111111111111111111111111111\\nauthor a <a@x> 1 +0000\\ncommitter a <a@x> 1 +0000\\n\\nx\\n' $tree | git hash-object -t commit -w --stdin)",
        'echo 1111111111111111111111111111111111111111 >>.git/shallow',
        'echo $head >.git/refs/heads/' + BRANCH,
      ].join('\n'),
    );
    const output = await runtime.runOnce(extractionSpec(target(), [baseSha], MIB));
    assert.match(extractionFailure(output.exitCode) ?? '', /objects are missing/);
  });

  it('is set up again where it was lost, though the home still says that it was', async () => {
    const input = { setup: 'echo modules >modules\n' };
    for (const [lost, lines] of [
      [false, 1],
      [false, 0],
      [true, 1],
      [false, 0],
    ] as const) {
      if (lost) bottle.inside('find /workspace -mindepth 1 -delete');
      const { stdout, stderr } = await turn('cat modules', input);
      assert.equal(stdout, 'modules\n');
      assert.equal(stderr.match(/setup starting/g)?.length ?? 0, lines);
    }
  });

  it('checks out only the directories it is to have, and does not miss the others', async () => {
    for (const path of ['docs/a.md', 'src/app/x.ts', 'src/lib/y.ts', 'top.txt'])
      fixture.commit(fixture.person, path, path, 'alice');
    const baseSha = pushBase(1);
    const end = await turn('git ls-files -t; find . -path ./.git -prune -o -type f -print | sort', {
      sparse: ['src/app'],
    });
    assert.match(end.stdout, /^S docs\/a\.md$/m);
    assert.match(end.stdout, /\.\/README\.md\n\.\/src\/app\/x\.ts\n\.\/top\.txt\n$/);
    assert.deepEqual((await extract([baseSha])).inspection.uncommitted, []);
    await turn('echo changed >src/app/x.ts; echo new >src/app/new.ts', { sparse: ['src/app'] });
    const { inspection } = await extract([baseSha]);
    assert.deepEqual([...inspection.uncommitted].sort(), ['src/app/new.ts', 'src/app/x.ts']);
    const patch = await runtime.runOnce(patchSpec(target(), MIB));
    const named = Buffer.from(patch.stdout)
      .toString()
      .match(/^diff --git .*$/gm);
    assert.deepEqual(named, [
      'diff --git a/src/app/new.ts b/src/app/new.ts',
      'diff --git a/src/app/x.ts b/src/app/x.ts',
    ]);
    await turn('git add -A; git commit -qm work', { sparse: ['src/app'] });
    assert.equal((await publish([baseSha], baseSha)).kind, 'pushed');
    const changed = git(fixture.forge, 'diff', '--name-status', 'main', BRANCH);
    assert.equal(changed, 'A\tsrc/app/new.ts\nM\tsrc/app/x.ts');
  });

  it('may be both, and stays so at the next turn', async () => {
    for (const path of ['docs/a.md', 'src/x.ts']) fixture.commit(fixture.person, path, path, 'alice');
    pushBase(5);
    const { baseSha } = await cut(1);
    const script = `git rev-list --count HEAD; ls; ${COMMIT}`;
    assert.match((await turn(script, { sparse: ['src'] })).stdout, /^1\nREADME.md\nsrc\n/);
    assert.equal((await publish([baseSha], baseSha)).kind, 'pushed');
    const head = git(fixture.forge, 'rev-parse', BRANCH);
    git(fixture.person, 'fetch', '-q', 'origin');
    git(fixture.person, 'checkout', '-q', '-B', 'rewritten', `origin/${BRANCH}`);
    git(fixture.person, 'commit', '-q', '--amend', '-m', 'rewritten by a person');
    git(fixture.person, 'push', '-q', '--force', 'origin', `rewritten:${BRANCH}`);
    const reset = git(fixture.forge, 'rev-parse', BRANCH);
    assert.notEqual(reset, head);
    const end = await turn('git log --format=%s -1; ls', { turn: 2, resetTo: reset, sparse: ['src'] });
    assert.equal(end.stdout, 'rewritten by a person\nREADME.md\nsrc\nwork.txt\n');
  });
});
