import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { forgeStack } from './stack.js';

/** What people do on the forge while an agent runs. */
describe('people who change their mind', function () {
  this.timeout(120_000);
  const { stack, trigger } = forgeStack();
  const runtime = dockerBottleRuntime();

  /** The branch that was not published is in a bundle. */
  async function hasKept(life: Life, slug: string): Promise<void> {
    const bundle = life.files.path(slug, 'unpublished.bundle');
    const { stdout } = await promisify(execFile)('git', ['bundle', 'list-heads', bundle]);
    assert.match(stdout, new RegExp(`bot-bottle/${String(life.issue)}-`));
  }

  it('freezes the run unpublished when the agent is unassigned, and goes on when it is assigned again', async () => {
    const { alice, bot } = stack().gitea;
    const work = ['write kept.md for later', 'commit Kept back'];
    const life = await trigger('unassigned', ...work, WAIT_FOR_TEST, 'done success first');
    const { slug } = await life.waiting();
    await alice.unassign(life.issue, bot.login);
    const frozen = await life.frozen(1, 'untriggered');
    assert.equal(frozen.lastTurn?.exitCode === 0, false);
    assert.deepEqual(await life.branches(), []);
    // Comments wait; they don't wake.
    await life.comment(`said-while-away\n\n${bottleScript('done success second')}`);
    await life.until('the comment in the mailbox', ({ mailbox }) => mailbox === 1);
    assert.equal((await life.container(slug, 'agent')).status, 'exited');
    await alice.assign(life.issue, bot.login);
    const again = await life.frozen(2, 'done');
    assert.equal(again.slug, slug);
    assert.equal(again.sessionId, frozen.sessionId);
    const [, second = ''] = await life.files.prompts(slug);
    assert.match(second, /said-while-away/);
    assert.equal((await life.branches()).length, 1);
  });

  it('destroys the run when its issue is closed while it works, keeps what nobody has, also while the forge is away, and starts anew when it is reopened', async () => {
    const { alice, process: forge } = stack().gitea;
    const life = await trigger('closed', 'write lost.md nobody has this', 'commit Only here', WAIT_FOR_TEST);
    const { slug } = await life.waiting();
    await alice.closeIssue(life.issue);
    await life.ended();
    await waitUntil('the row', async () => (await life.files.stateRow(life.subject))?.status === 'destroyed');
    assert.deepEqual(await runtime.list(slug), []);
    assert.equal(existsSync(life.files.path(slug, 'workspace')), false);
    await hasKept(life, slug);
    assert.ok((await life.files.agentLog(slug, 1)).includes('Only here'));
    assert.deepEqual(await life.branches(), []);

    await alice.reopen(life.issue);
    const fresh = await life.until(
      'a new run',
      (view) => view.slug !== null && view.slug !== slug && view.phase === 'running',
    );
    assert.equal(fresh.turn, 1);
    const next = fresh.slug ?? '';
    await life.waits(next);
    assert.equal((await life.files.stateRow(life.subject))?.slug, next);

    const heard = stack().output.length;
    await forge.stop();
    try {
      await stack().run(['signal', next, 'destroy']);
      await life.until('destroying', ({ phase }) => phase === 'destroying');
      await waitUntil('a try that failed', () => stack().output.slice(heard).includes('destroyBottle'));
    } finally {
      await forge.start();
    }
    await life.ended();
    await hasKept(life, next);
    assert.deepEqual(await runtime.list(next), []);
  });
});
