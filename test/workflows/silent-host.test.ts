import assert from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { bottlesQueue, stateQuery, TASK_QUEUE, turnsQueue } from '../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { order, send } from '../support/temporal/send.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;
const SILENT_MS = 2_000;

describe('a run whose host is gone, on a real server', function () {
  this.timeout(120_000);
  const server = localServer();
  let number = 800;

  /** Workers of the hosts are started and stopped by the test; there is one of the home machine. */
  async function withRun(
    work: (run: {
      handle: WorkflowHandle;
      fake: ScriptedActivities;
      host: (name: string) => Promise<() => Promise<void>>;
    }) => Promise<void>,
  ): Promise<void> {
    const { client, nativeConnection: connection } = server();
    const subject = { ...SUBJECT, number: (number += 1) };
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities(() => ({ run: () => Promise.resolve({ done }) }));
    fake.soleHost = 'gone';
    const common = { connection, activities: fake.activities, shutdownGraceTime: 100 };
    const stops: (() => Promise<void>)[] = [];
    const host = async (name: string): Promise<() => Promise<void>> => {
      const workers = await Promise.all(
        [turnsQueue(name), bottlesQueue(name)].map((taskQueue) => Worker.create({ ...common, taskQueue })),
      );
      const running = Promise.all(workers.map((worker) => worker.run()));
      const stop = async (): Promise<void> => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      };
      stops.push(stop);
      return stop;
    };
    const main = await Worker.create({
      ...common,
      workflowBundle: await workflowBundle(),
      taskQueue: TASK_QUEUE,
    });
    await main.runUntil(async () => {
      try {
        const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
        await temporalGateway(client, {
          policy: { ...DEFAULT_POLICY, hostSilentMs: SILENT_MS },
        }).signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
        await work({ handle, fake, host });
      } finally {
        for (const stop of stops) await stop();
        if ((await handle.describe()).status.name === 'RUNNING') await handle.terminate();
      }
    });
  }

  const isSilent = async (handle: WorkflowHandle): Promise<boolean> =>
    (await handle.query(stateQuery)).hostSilentSince !== null;
  const reasonIs = (handle: WorkflowHandle, reason: string): Promise<void> =>
    waitUntil(`reason ${reason}`, async () => {
      const shown = (await handle.describe()).typedSearchAttributes.getAll();
      return shown.some(({ key, value }) => key.name === 'BottleReason' && String(value) === reason);
    });
  const frozen = (handle: WorkflowHandle): Promise<void> =>
    waitUntil('it to freeze', async () => (await handle.query(stateQuery)).phase === 'frozen');

  it('says so, and goes on by itself when the host is back', () =>
    withRun(async ({ handle, fake, host }) => {
      await reasonIs(handle, 'host_silent');
      const { detail, phase } = await handle.query(stateQuery);
      assert.match(detail ?? '', /^waits for host gone since .*; its worker does not answer: start it, or /);
      assert.equal(phase, 'launching');
      await host('gone');
      await frozen(handle);
      assert.equal(fake.ran.length, 1);
      assert.equal(fake.settled.length, 1);
      await reasonIs(handle, 'done');
      assert.equal((await handle.query(stateQuery)).detail, null);
    }));

  it('is not called silent while it answers and only its slots are taken', () =>
    withRun(async ({ handle, fake }) => {
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
        assert.equal(await isSilent(handle), false);
      });
    }));

  it('ends when it is destroyed, without its host', () =>
    withRun(async ({ handle, fake }) => {
      await waitUntil('silence', () => isSilent(handle));
      await order(handle, { kind: 'destroy' });
      const outcome: unknown = await handle.result();
      assert.equal((outcome as { why: string }).why, 'destroyed by the operator');
      assert.deepEqual([fake.destroyed.length, fake.ended.length], [0, 1]);
    }));

  it('goes on on another host when it is moved, and nothing that the first one says counts', () =>
    withRun(async ({ handle, fake, host }) => {
      await waitUntil('the run', async () => (await handle.query(stateQuery)).slug !== null);
      await assert.rejects(order(handle, { kind: 'move' }), (error: Error) =>
        /fall silent|about to begin/.test(String(error.cause)),
      );
      await waitUntil('silence', () => isSilent(handle));
      fake.soleHost = 'next';
      await host('next');
      await order(handle, { kind: 'move' });
      await frozen(handle);
      const { slug, host: now, epoch, turn } = await handle.query(stateQuery);
      assert.deepEqual({ now, epoch, turn }, { now: 'next', epoch: 1, turn: 2 });
      assert.deepEqual(
        fake.ran.map((input) => [input.turn, input.epoch]),
        [[2, 1]],
      );
      assert.equal(fake.prepared.at(-1)?.moved, 'lost');
      await host('gone');
      await send(handle, { kind: 'turn_started', slug: slug ?? '', turn: 1, at: 1 });
      await send(handle, {
        kind: 'signal_done',
        slug: slug ?? '',
        turn: 1,
        done: { ...done, status: 'failed' },
      });
      const after = await handle.query(stateQuery);
      assert.deepEqual([after.phase, after.reason, after.turn], ['frozen', 'done', 2]);
      assert.equal(fake.ran.length, 1, 'the first host got nothing of it');
    }));
});
