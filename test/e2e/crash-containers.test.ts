import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { containerName } from '../../src/adapters/docker/names-and-labels.js';
import type { ContainerRole } from '../../src/domain/bottle/bottle-runtime.js';
import { QUEUE_FILE_NAME } from '../../src/domain/run/queue.js';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineDoor } from '../support/faults/engine-door.js';
import { PATIENCE } from '../support/scale/patience.js';
import { bottleScript, WAIT_FOR_TEST } from '../support/stack/bottle-script.js';
import type { Life } from '../support/stack/life.js';
import { waitUntil } from '../support/stack/stack.js';
import { useStack } from '../support/stack/use-stack.js';

const NOTICED_MS = 10_000;
/** Long enough for what watches the engine, and for a try to start a turn, to fail. */
const AWAY_MS = 2_000;
/** Of a turn: long enough for its agent to begin. */
const LIMIT_S = Math.ceil(15 * PATIENCE);

describe('containers that are killed while an agent runs', function () {
  this.timeout(180_000);
  const door = new EngineDoor();
  const { stack, open, trigger } = useStack(async () => {
    await door.open();
    return { env: { BOTTLE_DONE_GRACE: '5s', DOCKER_HOST: door.url } };
  });

  after(() => door.remove());

  /** As when the engine is restarted, and has these containers no more. */
  async function restartEngineWithout(
    life: Life,
    slug: string,
    roles: readonly ContainerRole[],
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    await door.close();
    for (const role of roles) await life.removeContainer(slug, role);
    await meanwhile();
    await delay(AWAY_MS);
    await door.open();
  }

  /** Kills the sidecar and waits until another one runs in its place. */
  async function killSidecar(life: Life, slug: string): Promise<void> {
    const before = await life.container(slug, 'bundle');
    assert.equal(before.status, 'running');
    await life.killContainer(slug, 'bundle');
    const again = async (): Promise<boolean> => {
      const { status, startedAt } = await life.container(slug, 'bundle');
      return status === 'running' && startedAt !== before.startedAt;
    };
    await waitUntil('the sidecar to run again', again, NOTICED_MS);
  }

  it('restarts a sidecar that died, and the agent goes on talking to the forge', async () => {
    const life = await trigger(
      'the sidecar dies',
      'read_issue 1',
      WAIT_FOR_TEST,
      'comment 1 written after the restart',
      'done success finished',
    );
    const { slug } = await life.running();
    // What the sidecar has noted of the last quarter of a second goes with it.
    const noted = async (): Promise<boolean> =>
      (await life.files.text(slug, 'turns', '1', 'operations.jsonl')).includes('read_issue');
    await waitUntil('the operation to be noted', noted);
    await killSidecar(life, slug);
    await life.files.letGo(slug);
    const view = await life.frozen(1, 'done');
    assert.equal(view.lastTurn?.exitCode, 0);
    const said = (await stack().gitea.alice.comments(life.issue)).filter(({ body }) =>
      body.includes('after the restart'),
    );
    assert.equal(said.length, 1);
    const operations = (await life.files.operations(slug)).map(
      ({ operation, outcome }) => `${operation} ${outcome}`,
    );
    assert.deepEqual(operations, ['read_issue ok', 'post_comment ok', 'signal_done ok']);
  });

  it('keeps a `signal_done` that was queued before the sidecar died', async () => {
    const life = await trigger(
      'done, then no sidecar',
      WAIT_FOR_TEST,
      'done success in time',
      'print said it',
      'hang',
    );
    const { slug } = await life.waiting();
    await stack().stopUp('SIGKILL');
    await life.files.letGo(slug);
    const queueOut = life.files.path(slug, 'queue', 'out');
    // The whole message, not the file that is being written.
    await waitUntil('the message in the queue', async () =>
      (await readdir(queueOut)).some((name) => QUEUE_FILE_NAME.test(name)),
    );
    await life.killContainer(slug, 'bundle');
    await stack().start();
    const view = await life.frozen(1, 'done');
    assert.equal(view.lastTurn?.doneStatus, 'success');
  });

  it('goes on with an agent whose container was killed, and freezes it when that happens again', async () => {
    const life = await trigger('the agent is killed', WAIT_FOR_TEST);
    const { slug } = await life.waiting();
    const { sessionId } = await life.until('a session', (view) => view.slug === slug);
    await life.comment(bottleScript(WAIT_FOR_TEST, 'done success late'));
    await life.until('the comment', ({ mailbox }) => mailbox === 1);
    await life.killContainer(slug, 'agent');
    await life.waiting(2);
    const [, prompt = ''] = await life.files.prompts(slug);
    assert.match(prompt, /^The machine stopped in the middle of your last turn/);
    assert.match(prompt, /done success late/);
    assert.doesNotMatch(prompt, /which an earlier prompt of yours had/);

    await life.killContainer(slug, 'agent');
    const view = await life.frozen(2, 'incomplete');
    assert.equal(view.detail, 'the machine ended the agent again: it was killed');
    assert.deepEqual(view.lastTurn, {
      turn: 2,
      exitCode: 137,
      doneStatus: null,
      reason: 'incomplete',
      stopped: null,
    });
    assert.equal((await life.container(slug, 'agent')).status, 'exited');
    await life.comment(bottleScript('done success three'));
    const last = await life.frozen(3, 'done');
    assert.ok(sessionId === null || sessionId === last.sessionId);
    assert.equal((await life.files.session(slug)).turns.length, 3);
    assert.deepEqual(
      (await life.files.turnRows(slug)).flatMap(({ event, detail }) =>
        event === 'begun' ? [detail['cause']] : [],
      ),
      ['first', 'interrupted', 'wake'],
    );
  });

  it('goes on with an agent that was killed, though nobody looked for longer than its turn may take', async () => {
    await mkdir(join(stack().home, 'agents'), { recursive: true });
    const limits = `limits: { turn_timeout: ${String(LIMIT_S)}s }`;
    const manifest = `---\nprovider: scripted\n${limits}\n---\n\nYou are brief.\n`;
    await writeFile(join(stack().home, 'agents/brief.md'), manifest);
    const life = await open('the worker is away', bottleScript(WAIT_FOR_TEST), ['bot-bottle:brief']);
    const { slug } = await life.waiting();
    await stack().stopUp('SIGKILL');
    await life.killContainer(slug, 'agent');
    const over = Date.parse((await life.container(slug, 'agent')).startedAt) + LIMIT_S * 1_000;
    await delay(Math.max(0, over - Date.now()));
    await stack().start();
    await life.running(2);
    const [, prompt = ''] = await life.files.prompts(slug);
    assert.match(prompt, /^The machine stopped in the middle of your last turn/);
  });

  it('posts once what a stopped agent had posted and says again when it goes on', async () => {
    const life = await trigger('it says so twice', 'done success one');
    const { slug } = await life.frozen(1, 'done');
    const say = `comment ${String(life.issue)} said once`;
    await life.comment(bottleScript(say, WAIT_FOR_TEST, 'done success two'));
    await life.waiting(2);
    // As an engine does that is told to end.
    await new Docker().getContainer(containerName(slug, 'agent')).stop({ t: 5 });
    await life.waiting(3);
    await life.files.letGo(slug);
    await life.frozen(3, 'done');
    const path = `/repos/alice/demo/issues/${String(life.issue)}/comments`;
    const posted = (await stack().gitea.alice.api.list(path)).filter(({ body }) =>
      String(body).startsWith('said once'),
    );
    assert.equal(posted.length, 1);
  });

  it('goes on in the same session after its container vanished with the engine while it was frozen', async () => {
    const life = await trigger('the container vanishes', 'run touch "$HOME/in-home"', 'done success one');
    const { slug, sessionId } = await life.frozen(1, 'done');
    await restartEngineWithout(life, slug, ['agent', 'bundle'], async () => {
      await life.comment(bottleScript('run ls "$HOME"', 'done success two'));
      const waiting = await life.until(
        'the reason',
        ({ detail }) => detail?.includes('no Docker engine') === true,
      );
      assert.equal(waiting.phase, 'rehydrating');
    });
    const view = await life.frozen(2, 'done');
    assert.equal(view.sessionId, sessionId);
    assert.match(await life.files.agentLog(slug, 2), /in-home/);
    assert.equal((await life.files.session(slug)).turns.length, 2);

    // A turn that waits for the engine can be called off.
    await door.close();
    await life.comment(bottleScript('done success three'));
    await life.until('the reason', ({ detail }) => detail?.includes('no Docker engine') === true);
    await stack().run(['signal', `gitea:alice/demo#${String(life.issue)}`, 'freeze']);
    await door.open();
    const paused = await life.until('paused', ({ phase }) => phase === 'frozen');
    assert.deepEqual([paused.reason, paused.mailbox], ['paused', 1]);
  });

  it('goes on after a turn whose container vanished in its middle, with session, work and what it was told', async () => {
    const life = await trigger('the container vanishes at work', 'done success one');
    const { slug, sessionId } = await life.frozen(1, 'done');
    const test = '[ -e kept.txt ] && echo still there';
    await life.comment(
      bottleScript(`run ${test}`, 'write kept.txt kept', WAIT_FOR_TEST, 'commit kept', 'done success two'),
    );
    await life.waiting(2);
    await restartEngineWithout(life, slug, ['agent']);
    await life.waiting(3);
    await life.files.letGo(slug);
    const view = await life.frozen(3, 'done');
    assert.equal(view.sessionId, sessionId);
    assert.match(await life.files.agentLog(slug, 3), /"still there/);
    const [, told = '', again = ''] = await life.files.prompts(slug);
    assert.doesNotMatch(told, /which an earlier prompt of yours had/);
    assert.match(again, /^## Comment on #\d+ by alice, \S+, which an earlier prompt of yours had, too:/m);
    assert.deepEqual(await life.files.snapshots(slug), ['turn-3.tar', 'turn-1.tar']);
  });

  it('ends a turn whose sidecar vanishes, and the next one whose new sidecar dies for the third time', async () => {
    const life = await trigger('the sidecar vanishes', WAIT_FOR_TEST);
    const { slug } = await life.waiting();
    await restartEngineWithout(life, slug, ['bundle']);
    await life.frozen(1, 'sidecar_died');

    await life.comment(bottleScript(WAIT_FOR_TEST));
    await life.waiting(2);
    await killSidecar(life, slug);
    await killSidecar(life, slug);
    await life.killContainer(slug, 'bundle');
    const view = await life.frozen(2, 'sidecar_died');
    assert.equal(view.lastTurn?.doneStatus, null);
    assert.notEqual(view.lastTurn.exitCode, 0);
  });
});
