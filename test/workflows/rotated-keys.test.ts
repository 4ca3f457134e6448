import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { RowReviewActivities, SweepActivities } from '../../src/activities/ports/interface.js';
import type { CodecKey } from '../../src/adapters/temporal/codec/aes-codec.js';
import {
  clientDataConverter,
  workerDataConverter,
} from '../../src/adapters/temporal/codec/data-converter.js';
import { setSweepSchedule, sweepScheduleOf } from '../../src/adapters/temporal/pass-schedule.js';
import {
  listSyncSchedules,
  removeSyncSchedule,
  renewSyncSchedules,
  setSyncSchedule,
} from '../../src/adapters/temporal/sync-schedules.js';
import { createLogger } from '../../src/config/log.js';
import { SYNC_TIMEOUT_MS, type SyncOrder } from '../../src/domain/sync/sync.js';
import type { SweepReport } from '../../src/domain/upkeep/sweep.js';
import { renewSyncs } from '../../src/wiring/worker/renew-syncs.js';
import { bottlesQueue, TASK_QUEUE } from '../../src/workflows/messages.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const EVERY_MS = 600_000;
const one: CodecKey = { id: 'one', bytes: randomBytes(32) };
const two: CodecKey = { id: 'two', bytes: randomBytes(32) };
const REPORT: SweepReport = {
  ...{ end: 'done', runs: 0, waiting: 0, entries: [], scratchRemoved: 0, durationMs: 1 },
};

describe('schedules, when the key that they were encrypted with goes', function () {
  this.timeout(120_000);
  const server = localServer();

  function clientWith(...keys: readonly CodecKey[]): Client {
    const { connection, namespace = 'default' } = server();
    return new Client({ connection, namespace, dataConverter: clientDataConverter(keys) });
  }

  describe('those of sweeps', () => {
    /** Sweeps that no worker took stay, so no two tests have the same. */
    let host = '';
    let tests = 0;
    const described = (client: Client) => client.schedule.getHandle(sweepScheduleOf(host)).describe();

    beforeEach(() => {
      host = `keyhost0000${String((tests += 1))}`;
    });
    afterEach(() => setSweepSchedule(clientWith(), host, null));

    it('are encrypted with the new key as soon as it is the first, and stay paused', async () => {
      const before = clientWith(one);
      await setSweepSchedule(before, host, EVERY_MS);
      await before.schedule.getHandle(sweepScheduleOf(host)).pause('the engine is being moved');
      assert.equal(await setSweepSchedule(clientWith(two, one), host, EVERY_MS), 'updated');
      const { action, state } = await described(clientWith(two));
      assert.deepEqual(action.args, [{ host }]);
      assert.deepEqual([state.paused, state.note], [true, 'the engine is being moved']);
      assert.equal(await setSweepSchedule(clientWith(two), host, EVERY_MS), 'updated');
    });

    it('are replaced when the old key has gone already, paused or not', async () => {
      const before = clientWith(one);
      await setSweepSchedule(before, host, EVERY_MS);
      await before.schedule.getHandle(sweepScheduleOf(host)).pause('the engine is being moved');
      assert.equal(await setSweepSchedule(clientWith(two), host, EVERY_MS), 'replaced');
      const { action, state, spec } = await described(clientWith(two));
      assert.deepEqual(action.args, [{ host }]);
      assert.equal(spec.intervals?.[0]?.every, EVERY_MS);
      assert.deepEqual([state.paused, state.note], [true, 'the engine is being moved']);
    });

    it('go on sweeping without it', async () => {
      await sweepsOnce(one);
      await sweepsOnce(two);
    });

    async function sweepsOnce(key: CodecKey): Promise<void> {
      const { nativeConnection: connection, namespace = 'default' } = server();
      const common = { connection, namespace, dataConverter: workerDataConverter([key]) };
      const home: RowReviewActivities = { reviewRows: () => Promise.resolve({ expected: [], repaired: [] }) };
      const things: SweepActivities = { sweepHost: () => Promise.resolve(REPORT) };
      const [main, other] = await Promise.all([
        Worker.create({
          ...{ ...common, taskQueue: TASK_QUEUE, activities: home },
          workflowBundle: await workflowBundle(),
        }),
        Worker.create({ ...common, taskQueue: bottlesQueue(host), activities: things }),
      ]);
      const client = clientWith(key);
      const ended = async (): Promise<number> =>
        (
          await client.workflow.count(
            `WorkflowId STARTS_WITH '${sweepScheduleOf(host)}' AND ExecutionStatus = 'Completed'`,
          )
        ).count;
      const earlier = await ended();
      const running = other.run();
      try {
        await main.runUntil(async () => {
          await setSweepSchedule(client, host, EVERY_MS);
          await waitUntil('the sweep', async () => (await ended()) > earlier);
        });
      } finally {
        other.shutdown();
        await running;
      }
    }
  });

  describe('those of syncs', () => {
    const orderFor = (repo: string): SyncOrder => ({
      fork: { forge: 'gitea', owner: 'alice', repo },
      upstream: `http://forge.invalid/${repo}.git`,
      manifest: null,
      opencode: { envFile: '/opencode.env', model: null, variant: null, agent: null },
      timeoutMs: SYNC_TIMEOUT_MS,
      by: 'alice',
    });
    const listed = async (client: Client) =>
      (await listSyncSchedules(client)).map(({ fork, upstream, everyMs, nextAt }) => ({
        ...{ repo: fork.repo, upstream, everyMs, isPaused: nextAt === null },
      }));
    const listedOf = (repo: string, isPaused = false, upstream: string | null = orderFor(repo).upstream) => ({
      ...{ repo, upstream, everyMs: EVERY_MS, isPaused },
    });

    beforeEach(async () => {
      const before = clientWith(one);
      for (const repo of ['first', 'second']) await setSyncSchedule(before, orderFor(repo), EVERY_MS);
      await before.schedule.getHandle('bot-bottle-sync:gitea:alice/first').pause();
      await waitUntil('the schedules to be listed', async () => {
        // The list itself, which is behind and is what there is of one that cannot be decoded.
        const paused: string[] = [];
        let count = 0;
        for await (const { scheduleId, state } of before.schedule.list()) {
          count += 1;
          if (state.paused) paused.push(scheduleId);
        }
        return count === 2 && paused.join() === 'bot-bottle-sync:gitea:alice/first';
      });
    });
    afterEach(async () => {
      for (const repo of ['first', 'second']) await removeSyncSchedule(clientWith(), orderFor(repo).fork);
    });

    it('are encrypted with the new key once it is the first, and otherwise stay as they were', async () => {
      assert.deepEqual(await renewSyncSchedules(clientWith(two, one)), []);
      assert.deepEqual(await listed(clientWith(two)), [listedOf('first', true), listedOf('second')]);
    });

    it('are listed when they cannot be decoded, and named by the worker', async () => {
      await setSyncSchedule(clientWith(two, one), orderFor('second'), EVERY_MS);
      const after = clientWith(two);
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const log = createLogger({ level: 'info', name: 'worker', secrets: () => new Set(), destination });
      await renewSyncs(after, log, new AbortController().signal);
      assert.equal(lines.length, 1, lines.join(''));
      assert.match(lines[0] ?? '', /"repo":"first".*cannot be decoded/);
      assert.deepEqual(await listed(after), [listedOf('first', true, null), listedOf('second')]);
    });

    it('are made anew from a new order', async () => {
      const after = clientWith(two);
      assert.equal(await setSyncSchedule(after, orderFor('first'), EVERY_MS), 'replaced');
      await waitUntil('both to be listed', async () => (await listed(after)).length === 2);
      const [first] = await listed(after);
      assert.deepEqual(first, listedOf('first', true));
    });
  });
});
