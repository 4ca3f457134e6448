import assert from 'node:assert/strict';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { hostId } from '../../../src/adapters/files/host-id.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { partOf } from '../../support/stack/processes.js';
import { killedAndTakenOver } from '../../support/stack/under-way.js';
import { oneSlotStack } from './stack.js';

/** Started, in the enumeration of Temporal's API. */
const STARTED = 2;
const LOOK_MS = 50;

describe('a worker with one slot that is killed again and again', function () {
  this.timeout(300_000);
  const { stack, open } = oneSlotStack();

  /** Kills the worker and waits until the next one is up and has taken over. */
  async function killWorker(): Promise<void> {
    const said = stack().output.length;
    await killedAndTakenOver(stack().home, async () => {
      process.kill(await partOf(stack(), 'worker'), 'SIGKILL');
      await waitUntil('the worker to run again', () =>
        stack().output.slice(said).includes('bot-bottle: worker runs again'),
      );
    });
  }

  /** What Temporal has under way of a run, once it has been taken up since a time. */
  async function isTakenUp(life: Life, since: number, ...activities: string[]): Promise<boolean> {
    const { raw } = await life.client.workflow.getHandle(workflowIdOf(life.subject)).describe();
    return (raw.pendingActivities ?? []).some(
      ({ activityType, state, lastStartedTime }) =>
        activities.includes(activityType?.name ?? '') &&
        Number(state) === STARTED &&
        Number(lastStartedTime?.seconds ?? 0) * 1_000 + 1_000 > since,
    );
  }

  /** Before its turn has ended, only the worker's own look at what it watches writes that down, every 15 s. */
  async function checkedIn({ files, subject }: Life): Promise<void> {
    const seen: number[] = [];
    await waitUntil('a check-in', async () => {
      const row = await files.stateRow(subject);
      if (row?.status === 'running' && row.lastCheckinAt !== null) seen.push(row.lastCheckinAt);
      return seen.length > 0;
    });
    const { runs } = JSON.parse(await stack().run(['orchestrate', 'status', '--json'])) as {
      readonly runs: readonly { readonly issueUrl: string; readonly lastCheckinAt: number | null }[];
    };
    const shown = runs.find(({ issueUrl }) => issueUrl.endsWith(`/issues/${String(subject.number)}`));
    assert.ok((shown?.lastCheckinAt ?? 0) >= (seen[0] ?? Infinity), JSON.stringify(runs));
  }

  it('never runs more than one agent, and all that waited run; a check-in is seen while one does', async () => {
    const runtime = dockerBottleRuntime({ host: await hostId(stack().home) });
    let most = 0;
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        const agents = (await runtime.list()).filter(({ role, running }) => role === 'agent' && running);
        most = Math.max(most, agents.length);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    })();
    const script = bottleScript(WAIT_FOR_TEST, 'done success finished');
    const lives: Life[] = [];
    for (const title of ['the first', 'the second', 'the third']) {
      lives.push(await open(title, script));
      if (lives.length === 1) await lives[0]?.running();
    }
    const [first] = lives;
    assert.ok(first !== undefined);
    try {
      const taken = [first];
      for (let kills = 1; kills <= lives.length; kills++) {
        for (const life of lives.slice(1))
          await life.until('its turn to wait', ({ phase }) => phase === 'launching');
        const at = Date.now();
        await killWorker();
        for (const life of taken)
          await waitUntil(`#${String(life.issue)} after kill ${String(kills)}`, () =>
            isTakenUp(life, at, 'reattachBottle'),
          );
        // One more takes the place of the dead worker's; which of them, the queue does not say.
        const untaken = lives.filter((life) => !taken.includes(life));
        // Given to the worker in the moment of its death, it is found by the next one as begun.
        if (untaken.length > 0)
          await waitUntil('the next in line', async () => {
            for (const life of untaken)
              if (await isTakenUp(life, at, 'launchBottle', 'reattachBottle')) return taken.push(life) > 0;
            return false;
          });
      }
      assert.equal(most, 1);
      const ended = new Set<Life>();
      while (ended.size < lives.length) {
        const isRunning = async (life: Life): Promise<boolean> =>
          (await stack().view(life.client, life.subject))?.phase === 'running';
        let running: Life | undefined;
        await waitUntil('one to run', async () => {
          for (const life of lives) if (!ended.has(life) && (await isRunning(life))) running = life;
          return running !== undefined;
        });
        assert.ok(running !== undefined);
        const { slug } = await running.running();
        if (ended.size === 0) await checkedIn(running);
        await running.files.letGo(slug);
        await running.frozen(1, 'done');
        ended.add(running);
      }
    } finally {
      over.abort();
      await watching;
    }
    assert.equal(most, 1);
  });
});
