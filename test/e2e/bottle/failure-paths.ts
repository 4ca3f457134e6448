import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATIENCE } from '../../support/scale/patience.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { bottleStack } from './stack.js';

/** An agent on a slow machine takes longer, too. */
const WATCHDOG_SECONDS = Math.ceil(5 * PATIENCE);
const HASTY = `---
provider: scripted
limits: { watchdog: ${String(WATCHDOG_SECONDS)}s }
---

You are hasty.
`;

/** How turns end that do not end well. */
describe('turns that do not end well', function () {
  this.timeout(120_000);
  const { stack, open, trigger } = bottleStack();

  const pulls = async (): Promise<string[]> => {
    const list = await stack().gitea.alice.api.list('/repos/alice/demo/pulls?state=all&limit=50');
    return list.map(({ title }) => String(title));
  };
  const turns = async (life: Life, slug: string): Promise<string[]> =>
    (await life.files.turnRows(slug)).map(({ turn, event }) => `${String(turn)} ${event}`);

  it('stops a silent agent by the watchdog and freezes the run', async () => {
    await mkdir(join(stack().home, 'agents'), { recursive: true });
    await writeFile(join(stack().home, 'agents/hasty.md'), HASTY);
    const script = bottleScript('write half.md done', 'commit Half', 'hang');
    const life = await open('silent', script, ['bot-bottle:hasty']);
    const { slug } = await life.running();
    const view = await life.frozen(1, 'watchdog');
    assert.equal(view.watchdogFired, true);
    assert.equal(view.lastTurn?.doneStatus, null);
    const [, ended] = await life.files.turnRows(slug);
    assert.equal(ended?.detail['watchdogFired'], true);
    // What was committed is on the forge as a branch, and nobody was asked to review it.
    assert.equal((ended.detail['publish'] as { kind: string }).kind, 'pushed');
    assert.ok(!(await pulls()).includes('silent'));
    assert.deepEqual(await turns(life, slug), ['1 begun', '1 ended']);
  });

  it('keeps uncommitted changes as a patch, and tells the agent about them', async () => {
    const life = await trigger('forgets to commit', 'write forgotten.md text', 'done success finished');
    // The scripted agent commits in its second turn, and that is published.
    const view = await life.frozen(2, 'done');
    const { slug } = view;
    assert.match(
      await life.files.text(slug, 'turns', '1', 'uncommitted.patch'),
      /\+\+\+ b\/forgotten\.md\n@@ .*\n\+text/,
    );
    const [, nudge = ''] = await life.files.prompts(slug);
    assert.match(nudge, /forgotten\.md/);
    assert.equal(view.prs.length, 1);
    assert.deepEqual(await life.reactions(), ['eyes'], 'nobody is told of what is done');
  });

  it('freezes a blocked agent, and a comment wakes it in the same session, with a log of its own for the turn', async () => {
    const life = await trigger('asks', 'print first-turn-only', 'done blocked which colour?');
    const first = await life.frozen(1, 'blocked');
    // Whoever assigned it sees that it waits for somebody.
    await life.reactedWith('confused');
    assert.deepEqual((await life.reactions()).sort(), ['confused', 'eyes']);
    await life.comment(
      `Blue.\n\n${bottleScript('print second-turn-only', 'write colour.md blue', 'commit Blue', 'done success painted')}`,
    );
    const second = await life.frozen(2, 'done');
    assert.equal(second.sessionId, first.sessionId);
    const session = await life.files.session(second.slug);
    assert.deepEqual(
      session.turns.map(({ turn }) => turn),
      [1, 2],
    );
    assert.equal(second.prs.length, 1);
    const logs = await Promise.all([1, 2].map((turn) => life.files.agentLog(second.slug, turn)));
    const printed = (log: string): string[] =>
      log.match(/^\S+ stdout \w+-turn-only$/gm)?.map((line) => line.split(' ')[2] ?? '') ?? [];
    assert.deepEqual(logs.map(printed), [['first-turn-only'], ['second-turn-only']]);
  });

  it('publishes, and keeps for the next turn, what is built on a history that its bottle cuts', async () => {
    await mkdir(join(stack().home, 'bottles'), { recursive: true });
    await writeFile(join(stack().home, 'bottles/cut.md'), '---\nworkspace: { depth: 1 }\n---\n');
    const { alice } = stack().gitea;
    for (const path of ['older.md', 'newer.md'])
      await alice.createFile({ path, content: path, branch: 'main', message: path });
    const script = bottleScript('write cut.md hello', 'commit Cut', 'done success finished');
    const life = await open('a cut history', script, ['bot-bottle:demo', 'bot-bottle-bottle:cut']);
    const { slug, prs } = await life.frozen(1, 'done');
    assert.equal(prs.length, 1);
    assert.match(await life.files.text(slug, 'shallow'), /^[0-9a-f]{40}\n$/);
  });

  it('leaves the sidecar’s token nowhere when a turn cannot begin', async () => {
    await mkdir(join(stack().home, 'bottles'), { recursive: true });
    await writeFile(
      join(stack().home, 'bottles/imageless.md'),
      '---\nimage: bot-bottle/no-such-image:1\n---\n',
    );
    const labels = ['bot-bottle:demo', 'bot-bottle-bottle:imageless'];
    const life = await open('no image', bottleScript('done success x'), labels);
    const { slug, detail } = await life.frozen(1, 'failed');
    assert.match(detail ?? '', /no-such-image/);
    assert.deepEqual(await readdir(life.files.path(slug, 'bundle')), ['secrets']);
    assert.deepEqual(await readdir(life.files.path(slug, 'bundle', 'secrets')), []);
  });
});
