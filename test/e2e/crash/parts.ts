import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState } from '../../../src/domain/bottle/bottle-runtime.js';
import { SAME_SECOND_MS } from '../../../src/adapters/sqlite/inbox/delivery-table.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { deliverComment } from '../../support/stack/deliver.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { allGone, partOf } from '../../support/stack/processes.js';
import { killedAndTakenOver } from '../../support/stack/under-way.js';
import { oneSlotStack } from './stack.js';

const PARTS = ['worker', 'webhook', 'temporal'] as const;

describe('parts that are killed one after another while an agent runs', function () {
  this.timeout(180_000);
  const { stack, trigger } = oneSlotStack();

  let life: Life;
  let slug: string;
  let agent: ContainerState;

  before(async () => {
    const work = ['print it went on', 'write notes.md hello', 'commit Notes', 'done success finished'];
    life = await trigger('its parts are killed', WAIT_FOR_TEST, ...work);
    ({ slug } = await life.waiting());
    agent = await life.container(slug, 'agent');
  });

  /** The container is the same, runs, and was not started again. */
  async function isLeftAlone(): Promise<void> {
    const now = await life.container(slug, 'agent');
    assert.deepEqual([now.id, now.startedAt, now.status], [agent.id, agent.startedAt, 'running']);
  }

  for (const part of PARTS) {
    it(`starts its ${part} again when that is killed, and takes deliveries on`, async () => {
      const { pid } = stack().upProcess;
      const others = new Map<(typeof PARTS)[number], number>();
      for (const other of PARTS) if (other !== part) others.set(other, await partOf(stack(), other));
      const comment = await life.comment(`The ${part} dies.\n\n${bottleScript('done success heard')}`);
      const said = stack().output.length;
      const name = part === 'temporal' ? 'Temporal' : part;

      process.kill(await partOf(stack(), part), 'SIGKILL');
      if (part !== 'webhook') assert.equal(await deliverComment(stack(), life.issue, comment), 202);
      const delivered = Date.now();
      await waitUntil(`${name} to run again`, () =>
        stack().output.slice(said).includes(`bot-bottle: ${name} runs again`),
      );
      assert.match(
        stack().output.slice(said),
        new RegExp(`^bot-bottle: ${name} ended by itself: killed by SIGKILL.*; starting it again in`, 'm'),
      );
      // What it took before is known to it; within a moment the same once more could be another act.
      await sleep(Math.max(0, delivered + SAME_SECOND_MS + 100 - Date.now()));
      const again = await deliverComment(stack(), life.issue, comment);
      assert.equal(again, part === 'webhook' ? 202 : 200);
      assert.equal(stack().upProcess.pid, pid, '`up` is the same');
      for (const [other, its] of others)
        assert.equal(await partOf(stack(), other), its, `${other} was left alone`);
      await isLeftAlone();
      const { stdout } = await stack().cli(['doctor', '--json']);
      const { checks } = JSON.parse(stdout) as {
        checks: { name: string; state: string; found: string }[];
      };
      const check = checks.find((one) => one.name === 'up');
      assert.equal(check?.state, 'warn');
      assert.match(check.found, new RegExp(`${name} ended by itself once, last at \\S+: killed by SIGKILL`));
    });
  }

  it('leaves the agent alone when `up` is killed, and watches it again once it is started', async () => {
    const said = stack().output.length;
    await killedAndTakenOver(stack().home, async () => {
      await stack().stopUp('SIGKILL');
      await stack().start();
      await life.until('attached again', () =>
        stack().output.slice(said).includes(`"slug":"${slug}","turn":1,"how":"attach"`),
      );
    });
    await isLeftAlone();
  });

  it('takes over what the agent did while nobody watched', async () => {
    await stack().stopUp('SIGKILL');
    await life.files.letGo(slug);
    await waitUntil(
      'the agent to exit by itself',
      async () => (await life.container(slug, 'agent')).status === 'exited',
    );
    await stack().start();
    await endsAsIfNothingHadHappened();
    assert.match(await life.files.agentLog(slug, 1), /it went on/);
    assert.equal((await life.container(slug, 'agent')).id, agent.id);
    const [, heard = ''] = await life.files.prompts(slug);
    assert.deepEqual(
      [...heard.matchAll(/The (\w+) dies\./g)].map(([, part]) => part),
      PARTS,
    );
  });

  it('starts no second agent in a turn when `up` was killed and the container is gone: the next goes on', async () => {
    await life.comment(bottleScript(WAIT_FOR_TEST, 'done success went on'));
    await life.waiting(3);
    await stack().stopUp('SIGKILL');
    await allGone(stack().home);
    await life.removeContainer(slug, 'agent');
    await stack().start();
    await life.waiting(4);
    await life.files.letGo(slug);
    await life.frozen(4, 'done');
    assert.deepEqual(
      (await life.files.turnRows(slug)).slice(-4).map(({ turn, event }) => `${String(turn)} ${event}`),
      ['3 begun', '3 ended', '4 begun', '4 ended'],
    );
    const { 3: prompt = '' } = await life.files.prompts(slug);
    assert.match(prompt, /^The machine stopped in the middle of your last turn/);
    // What it printed while nobody watched went with it.
    assert.ok((await life.files.invocations(slug, 3)) <= 1);
  });

  /** Both turns had one agent process each and ended well, in one session, and it froze with its pull request. */
  async function endsAsIfNothingHadHappened(): Promise<void> {
    const view = await life.frozen(2, 'done');
    assert.deepEqual(view.lastTurn, {
      turn: 2,
      exitCode: 0,
      doneStatus: 'success',
      reason: 'done',
      stopped: null,
    });
    for (const turn of [1, 2]) assert.equal(await life.files.invocations(slug, turn), 1);
    assert.deepEqual(
      (await life.files.session(slug)).turns.map(({ turn, exit }) => ({ turn, exit })),
      [1, 2].map((turn) => ({ turn, exit: 0 })),
    );
    assert.equal(view.prs.length, 1);
    assert.equal((await life.files.stateRow(life.subject))?.status, 'frozen');
  }
});
