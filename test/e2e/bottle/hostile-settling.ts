import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stepUnderWay } from '../../../src/cli/runs/step-under-way.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { bottleStack } from './stack.js';

/** A tree of 40 levels, each the one below twice, in a commit before the last: no file in it, and 2^40 directories. */
const TREE_BOMB = [
  'run t=$(git mktree </dev/null); for i in $(seq 40); do ' +
    't=$(printf "040000 tree $t\\ta\\n040000 tree $t\\tb\\n" | git mktree); done; ' +
    'c=$(git commit-tree -p HEAD -m bomb $t); c=$(git commit-tree -p $c -m back "HEAD^{tree}"); git reset -q --hard $c',
];
/** Neither the engine nor the agent itself can come through it. */
const LINK_FOR_SESSION = ['run rm -rf ~/.scripted && ln -s .scripted ~/.scripted'];

/** Each of these once kept a run from ever ending. */
describe('settling what a hostile agent left', function () {
  this.timeout(300_000);
  const { stack, client, trigger } = bottleStack();

  const signal = async (slug: string, what: string): Promise<void> => {
    await stack().run(['signal', slug, what]);
  };

  it('settles a turn whose session is a symbolic link to itself, and the run ends', async () => {
    const from = stack().output.length;
    const life = await trigger(
      'a link',
      'write a.txt a',
      'commit Work',
      'done blocked x',
      ...LINK_FOR_SESSION,
    );
    const { slug } = await life.frozen(1, 'blocked');
    assert.match(stack().output.slice(from), /the session cannot be read; the last whole snapshot is kept/);
    const [row] = await life.files.endedTurns(slug);
    assert.deepEqual([row?.detail['transcriptHash'] ?? null], [null]);
    await life.close();
  });

  it('close and destroy do not wait for git and a tree that it never comes to the end of', async () => {
    const bomb = (title: string): Promise<Life> => trigger(title, ...TREE_BOMB, 'done blocked x');
    const [closed, destroyed] = await Promise.all([bomb('close'), bomb('destroy')]);
    const settles = async (life: Life): Promise<string> => {
      const handle = client().workflow.getHandle(workflowIdOf(life.subject));
      const { slug } = await life.until('its run', (view) => view.slug !== null);
      await waitUntil(
        `the settle of #${String(life.issue)}`,
        async () => {
          const step = await stepUnderWay(client(), await handle.describe());
          return step?.activity === 'freezeBottle' && step.attempt === 1;
        },
        90_000,
      );
      return slug ?? '';
    };
    /** The turn is neither published nor snapshotted then; its commits stay on this machine. */
    const wasCalledOff = async (life: Life, slug: string): Promise<void> => {
      const notes = await life.timeline();
      assert.ok(
        notes.some((what) => what === 'settle called off'),
        JSON.stringify(notes),
      );
      const detail = (await life.files.endedTurns(slug))[0]?.detail ?? {};
      assert.equal((detail['publish'] as { kind: string }).kind, 'refused');
      assert.equal(detail['transcriptHash'] ?? null, null);
      const bundle = life.files.path(slug, 'unpublished.bundle');
      const { stdout } = await promisify(execFile)('git', ['bundle', 'list-heads', bundle]);
      assert.match(stdout, / refs\/heads\/bot-bottle\//);
    };
    await Promise.all([
      settles(closed).then(async (slug) => {
        await closed.close();
        await wasCalledOff(closed, slug);
      }),
      settles(destroyed).then(async (slug) => {
        await signal(slug, 'destroy');
        await destroyed.ended();
        await wasCalledOff(destroyed, slug);
      }),
    ]);
  });
});
