import assert from 'node:assert/strict';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, type Client } from '@temporalio/client';
import {
  listSyncSchedules,
  removeSyncSchedule,
  renewSyncSchedules,
  setSyncSchedule,
} from '../../../../src/adapters/temporal/sync-schedules.js';
import { syncOrder } from '../../../support/sync/sync-world.js';

const OF_THE_SYNCS = 'bot-bottle-sync:gitea:';

/** Schedules by their ids, with what their workflows take. */
class Schedules {
  readonly stored = new Map<string, unknown>();
  /** The list is behind: it has these as well. */
  readonly listed: string[] = [];
  readonly updated: string[] = [];

  readonly client = {
    withDeadline: <T>(_at: number, work: () => Promise<T>) => work(),
    schedule: {
      list: () => [...this.stored.keys(), ...this.listed].map((scheduleId) => this.#summary(scheduleId)),
      create: ({ scheduleId, action }: { scheduleId: string; action: { args: readonly unknown[] } }) => {
        if (this.stored.has(scheduleId))
          return Promise.reject(new ScheduleAlreadyRunning('there', scheduleId));
        this.stored.set(scheduleId, action.args[0]);
        return Promise.resolve();
      },
      getHandle: (id: string) => ({
        describe: () => this.#found(id, () => this.#summary(id)),
        delete: () => this.#found(id, () => this.stored.delete(id)),
        update: () => this.#found(id, () => this.updated.push(id)),
      }),
    },
  } as unknown as Client;

  #summary(scheduleId: string): object {
    return {
      ...{ scheduleId, spec: { intervals: [{ every: 1 }] }, state: { paused: true } },
      ...{ info: { nextActionTimes: [] }, action: { args: [this.stored.get(scheduleId)] } },
    };
  }

  #found<T>(id: string, work: () => T): Promise<T> {
    return this.stored.has(id)
      ? Promise.resolve(work())
      : Promise.reject(new ScheduleNotFoundError('not there', id));
  }
}

describe('schedules of syncs', () => {
  let schedules: Schedules;
  beforeEach(() => {
    schedules = new Schedules();
  });
  const orderOf = (owner: string, repo: string) => syncOrder({ fork: { forge: 'gitea', owner, repo } });
  const names = async (): Promise<readonly string[]> =>
    (await listSyncSchedules(schedules.client)).map(({ fork }) => `${fork.owner}/${fork.repo}`);
  const set = (owner: string, repo: string) =>
    setSyncSchedule(schedules.client, orderOf(owner, repo), 60_000);

  it('are listed without one that was removed meanwhile', async () => {
    await set('alice', 'demo');
    schedules.listed.push(`${OF_THE_SYNCS}alice/removed`);
    assert.deepEqual(await names(), ['alice/demo']);
  });

  it('are one a fork, however it is spelled, and shown as they were asked for', async () => {
    assert.deepEqual([await set('Alice', 'Demo'), await names()], ['created', ['Alice/Demo']]);
    assert.deepEqual([await set('alice', 'demo'), schedules.stored.size], ['updated', 1]);
    assert.equal(await removeSyncSchedule(schedules.client, orderOf('ALICE', 'demo').fork), 'removed');
    assert.deepEqual(await names(), []);
    assert.equal(await removeSyncSchedule(schedules.client, orderOf('alice', 'demo').fork), 'absent');
  });

  describe('that an earlier version stored under another spelling', () => {
    const OLD = `${OF_THE_SYNCS}Alice/Demo`;
    beforeEach(() => {
      schedules.stored.set(OLD, orderOf('Alice', 'Demo'));
    });

    it('are listed, renewed and removed', async () => {
      assert.deepEqual(await names(), ['Alice/Demo']);
      assert.deepEqual([await renewSyncSchedules(schedules.client), schedules.updated], [[], [OLD]]);
      assert.equal(await removeSyncSchedule(schedules.client, orderOf('alice', 'demo').fork), 'removed');
      assert.equal(schedules.stored.size, 0);
    });

    it('are changed as they are, and never beside another of the fork', async () => {
      assert.equal(await set('alice', 'demo'), 'updated');
      assert.deepEqual([...schedules.stored.keys()], [OLD]);
      schedules.stored.set(OLD.toLowerCase(), orderOf('alice', 'demo'));
      assert.equal(await set('alice', 'demo'), 'updated');
      assert.deepEqual([...schedules.stored.keys()], [OLD.toLowerCase()]);
    });
  });
});
