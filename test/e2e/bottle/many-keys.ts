import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../../support/git/environment.js';
import { agentRuns, outputOf } from '../../support/stack/agent-runs.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { bottleStack } from './stack.js';

const execute = promisify(execFile);
/** Of these runs: what other suites find on the default branch stays as it is. */
const BASE = 'many-keys';
const LABELS = ['bot-bottle:many', 'bot-bottle-bottle:many'];
const LOOK =
  'run git rev-list --count HEAD; ls docs; cat docs/lib/README.md; git log -1 --format=%an; cat $HOME/greeted';

const BOTTLE = `---
extends: many-base
env: { GREETING: hello }
setup: echo "$GREETING" >>$HOME/greeted
workspace: { sparse: [docs], submodules: true, lfs: true }
publish: { base: ${BASE}, drafts: true }
forge_read: allowed
---
`;

function agent(name: string): string {
  return `---\nprovider: scripted\ngit: { user: { name: ${name}, email: ${name}@example.org } }\n---\nYou work.\n`;
}

describe('the life of a run whose bottle says much', function () {
  this.timeout(240_000);
  const { stack, open } = bottleStack();
  let clone: string;

  const git = async (...args: string[]): Promise<string> =>
    (
      await execute('git', ['-C', clone, ...args], { env: gitEnvironment('alice', 'example.test') })
    ).stdout.trim();
  const address = (repo: string): string =>
    `http://alice:${stack().gitea.alice.password}@${new URL(stack().gitea.url).host}/${repo}.git`;
  const commit = async (path: string, text: string): Promise<void> => {
    await writeFile(join(clone, path), text);
    await git('add', path);
    await git('commit', '-qm', `change ${path}`);
  };
  const manifest = async (file: string, text: string): Promise<void> => {
    await mkdir(join(stack().home, file, '..'), { recursive: true });
    await writeFile(join(stack().home, file), text);
  };
  const pull = (number: number): Promise<Record<string, unknown>> =>
    stack().gitea.alice.api.object('GET', `/repos/alice/demo/pulls/${String(number)}`);

  before(async () => {
    clone = await mkdtemp(join(tmpdir(), 'bb-many-'));
    const { gitea } = stack();
    const lib = await gitea.addRepository(gitea.alice, 'many-keys-lib');
    await git('clone', '-q', address('alice/demo'), '.');
    await mkdir(join(clone, 'docs'));
    for (const text of ['one\n', 'two\n']) await commit('docs/a.md', text);
    await writeFile(
      join(clone, '.gitmodules'),
      `[submodule "lib"]\n\tpath = docs/lib\n\turl = ../${lib.split('/')[1] ?? ''}.git\n`,
    );
    const [head = ''] = (await git('ls-remote', address(lib), 'refs/heads/main')).split('\t');
    await git('update-index', '--add', '--cacheinfo', `160000,${head},docs/lib`);
    await git('add', '.gitmodules');
    await git('commit', '-qm', 'a submodule');
    await git('push', '-q', 'origin', `HEAD:refs/heads/${BASE}`);
    await manifest('bottles/many-base.md', '---\nworkspace: { depth: 1 }\n---\n');
    await manifest('bottles/many.md', BOTTLE);
    await manifest('agents/many.md', agent('first'));
  });
  after(() => rm(clone, { recursive: true, force: true }));

  it('goes through a base that moves, manifests that change and vanish, and a workspace that is lost', async () => {
    const begin = bottleScript(LOOK, 'write docs/new.md one', 'commit One', 'done failed half');
    const life = await open('Many keys', begin, LABELS);
    const { slug, prs } = await life.frozen(1, 'failed');
    const look = async (turn: number): Promise<string[]> =>
      outputOf(agentRuns(await life.files.agentLog(slug, turn)), 'rev-list').split('\n');
    const [count, ...rest] = await look(1);
    assert.deepEqual([count, rest.slice(0, 2), rest.slice(-2)], ['1', ['a.md', 'lib'], ['alice', 'hello']]);
    assert.match(await life.files.prompt(slug, 1), /> docs\/lib\n\nFiles of Git LFS are pointers/);
    const [pr = 0] = prs;
    const opened = await pull(pr);
    assert.equal(opened['title'], 'WIP: Many keys');
    assert.equal((opened['base'] as { ref: string }).ref, BASE);

    await commit('docs/new.md', 'theirs\n');
    await git('push', '-q', 'origin', `HEAD:refs/heads/${BASE}`);
    await manifest('agents/many.md', agent('second'));
    await rm(join(stack().home, 'bottles/many.md'));
    const merge = `run git merge refs/remotes/base/${BASE}; git checkout --ours docs/new.md; git add docs/new.md; git commit -qm Merged`;
    await life.comment(bottleScript(merge, LOOK, 'done success merged'));
    assert.match((await life.frozen(2, 'failed')).detail ?? '', /there is no bottle "many"/);
    await manifest('bottles/many.md', BOTTLE);
    await life.comment(bottleScript(merge, LOOK, 'done success merged'));
    await life.frozen(3, 'done');
    const merged = await look(3);
    // The one that it began with, its own, the base's new one and the merge.
    assert.deepEqual([merged[0], merged.slice(-2)], ['4', ['second', 'hello']]);
    assert.equal((await pull(pr))['title'], 'Many keys');

    await rm(life.files.path(slug, 'workspace'), { recursive: true });
    await life.comment(bottleScript(LOOK, 'write docs/last.md x', 'commit Last', 'done success last'));
    await life.frozen(4, 'done');
    assert.deepEqual((await look(4)).slice(-3), ['second', 'hello', 'hello']);
    await stack().gitea.alice.mergePr(pr);
    await life.ended();
    const left = await readdir(life.files.path(slug));
    assert.deepEqual(
      left.filter((name) => ['workspace', 'turn', 'unpublished.bundle'].includes(name)),
      [],
    );
  });
});
