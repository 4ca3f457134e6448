import assert from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import { bottlesQueue, TASK_QUEUE, turnsQueue, type RunView } from '../../src/workflows/messages.js';
import { done } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { IssueLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const SILENT_MS = 2_000;

describe('a run whose host is gone, on a real server', function () {
  this.timeout(120_000);
  const server = localServer();

  /** Workers of the hosts are started and stopped by the test; there is one of the home machine. */
  async function withRun(
    work: (life: IssueLife, host: (name: string) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { nativeConnection: connection } = server();
    const life = new IssueLife(server(), {
      begins: () => false,
      given: { soleHost: 'gone' },
      policy: { hostSilentMs: SILENT_MS },
    });
    const common = { connection, activities: life.activities, shutdownGraceTime: 100 };
    const stops: (() => Promise<void>)[] = [];
    const host = async (name: string): Promise<void> => {
      const workers = await Promise.all(
        [turnsQueue(name), bottlesQueue(name)].map((taskQueue) => Worker.create({ ...common, taskQueue })),
      );
      const running = Promise.all(workers.map((worker) => worker.run()));
      stops.push(async () => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      });
    };
    const main = await Worker.create({
      ...common,
      workflowBundle: await workflowBundle(),
      taskQueue: TASK_QUEUE,
    });
    await main.runUntil(async () => {
      try {
        await life.trigger();
        await work(life, host);
      } finally {
        for (const stop of stops) await stop();
        await life.terminate();
      }
    });
  }

  const isSilent = (view: RunView): boolean => view.hostSilentSince !== null;
  const reasonIs = ({ handle }: IssueLife, reason: string): Promise<void> =>
    waitUntil(`reason ${reason}`, async () => {
      const shown = (await handle.describe()).typedSearchAttributes.getAll();
      return shown.some(({ key, value }) => key.name === 'BottleReason' && String(value) === reason);
    });

  it('says so, and goes on by itself when the host is back', () =>
    withRun(async (life, host) => {
      const { fake } = life;
      await reasonIs(life, 'host_silent');
      const { detail, phase } = await life.view();
      assert.match(detail ?? '', /^waits for host gone since .*; its worker does not answer: start it, or /);
      assert.equal(phase, 'launching');
      await host('gone');
      await life.frozen();
      assert.equal(fake.ran.length, 1);
      assert.equal(fake.settled.length, 1);
      await reasonIs(life, 'done');
      assert.equal((await life.view()).detail, null);
    }));

  it('is not called silent while it answers and only its slots are taken', () =>
    withRun(async (life) => {
      const { fake, handle } = life;
      const { nativeConnection: connection } = server();
      const short = await Worker.create({
        connection,
        activities: fake.activities,
        taskQueue: bottlesQueue('gone'),
      });
      await short.runUntil(async () => {
        // Offered, asked and offered anew: the question's answer is what the history shows then.
        const isAsked = async (): Promise<boolean> => {
          const { events } = await handle.fetchHistory();
          return (events ?? []).filter((event) => event.activityTaskTimedOutEventAttributes).length >= 2;
        };
        await waitUntil('two offers that nobody took', isAsked);
        assert.equal(isSilent(await life.view()), false);
      });
    }));

  it('ends when it is destroyed, without its host', () =>
    withRun(async (life) => {
      const { fake } = life;
      await life.until('silence', isSilent);
      const outcome = await life.destroy();
      assert.equal((outcome as { why: string }).why, 'destroyed by the operator');
      assert.deepEqual([fake.destroyed.length, fake.ended.length], [0, 1]);
    }));

  it('goes on on another host when it is moved, and nothing that the first one says counts', () =>
    withRun(async (life, host) => {
      const { fake } = life;
      await life.until('the run', (view) => view.slug !== null);
      await assert.rejects(life.order({ kind: 'move' }), (error: Error) =>
        /fall silent|about to begin/.test(String(error.cause)),
      );
      await life.until('silence', isSilent);
      fake.soleHost = 'next';
      await host('next');
      await life.order({ kind: 'move' });
      await life.frozen(2);
      const { slug, host: now, epoch, turn } = await life.view();
      assert.deepEqual({ now, epoch, turn }, { now: 'next', epoch: 1, turn: 2 });
      assert.deepEqual(
        fake.ran.map((input) => [input.turn, input.epoch]),
        [[2, 1]],
      );
      assert.equal(fake.prepared.at(-1)?.moved, 'lost');
      await host('gone');
      await life.send({ kind: 'turn_started', slug: slug ?? '', turn: 1, at: 1 });
      await life.send({
        kind: 'signal_done',
        slug: slug ?? '',
        turn: 1,
        done: { ...done, status: 'failed' },
      });
      const after = await life.view();
      assert.deepEqual([after.phase, after.reason, after.turn], ['frozen', 'done', 2]);
      assert.equal(fake.ran.length, 1, 'the first host got nothing of it');
    }));
});
