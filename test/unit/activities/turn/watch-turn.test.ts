import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mock } from 'node:test';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { blankTurnRecord } from '../../../../src/activities/turn/turn-journal.js';
import type { GuardedTurn } from '../../../../src/activities/ports/disk-guard.js';
import { NO_USE } from '../../../../src/domain/run/model-use.js';
import type { QueueBody } from '../../../../src/domain/run/queue.js';
import { CONTAINER_GONE } from '../../../../src/domain/run/turn.js';
import { BotBottleError, BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { SLUG } from '../../../support/host/host-world.js';
import { passTime, passTimeUntil } from '../../../support/turn/pass-time.js';
import { IMAGE_ID, NOW, TurnWorld } from '../../../support/turn/turn-world.js';
import {
  doneMessage,
  egressMessage,
  errorOf,
  message,
  resultOf,
  WatchedTurn,
  type Ending,
} from '../../../support/turn/watched-turn.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const SESSION = '3b6ba647-e4d1-50f5-9602-b9fec41bce5b';

describe('a turn that is watched', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let watched: WatchedTurn;
  let guarded: GuardedTurn | undefined;
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
    watched = new WatchedTurn(world);
    guarded = undefined;
    world.ports.disk.watch = (turn) => {
      guarded = turn;
      return () => ({ bytes: 77, inodes: 7 });
    };
  });
  afterEach(() => mock.timers.reset());

  const begin = (...of: Parameters<WatchedTurn['begin']>): Promise<Ending> => watched.begin(...of);
  const watch = (...of: Parameters<WatchedTurn['watch']>): Promise<Ending> => watched.watch(...of);
  const stops = (role: string): readonly string[] =>
    world.asked.filter((what) => what.startsWith(`stop ${role}`));
  const hasToken = (): boolean => existsSync(world.ports.files.paths(SLUG).bundleToken);

  it('is told as begun, and ends with what it left when its agent ends', async () => {
    const ending = await begin();
    assert.equal(hasToken(), true);
    world.print(JSON.stringify({ type: 'system', subtype: 'init', session_id: SESSION }));
    world.exit('agent', 3);
    const { agent, startedAt, finishedAt, lastCheckinAt, ...rest } = await resultOf(ending);
    assert.ok(startedAt >= NOW && finishedAt >= startedAt && lastCheckinAt >= NOW);
    assert.deepEqual(rest, {
      sessionId: SESSION,
      ...{ exitCode: 3, done: null, stopped: null, sidecarRestarts: 0, baseSha: 'b'.repeat(40) },
      ...{ imageId: IMAGE_ID, limit: null, setAside: null, model: null },
      ...{ operationsRef: null, egressRef: null, offers: [] },
    });
    assert.deepEqual([agent.toolCalls, agent.reported], [0, null]);
    assert.deepEqual([hasToken(), stops('bundle'), stops('agent')], [false, ['stop bundle 3'], []]);
    assert.equal(watched.attachments.has(SLUG), false);
  });

  it('leaves no session that its agent has not begun', async () => {
    const ending = await begin();
    assert.match((await world.ports.files.readTurn(SLUG, 1))?.sessionId ?? '', /^[0-9a-f-]{36}$/);
    world.exit('agent', 137);
    assert.equal((await resultOf(ending)).sessionId, null);
  });

  it('beats with when its agent was heard of last', async () => {
    const beats: unknown[] = [];
    watched.activity.on('heartbeat', (beat: unknown) => beats.push(beat));
    const ending = await begin();
    world.exit('agent');
    const { lastCheckinAt } = await resultOf(ending);
    assert.ok(
      beats.some((beat) => JSON.stringify(beat).includes(`"lastCheckinAt":${String(lastCheckinAt)}`)),
    );
    const before = beats.length;
    mock.timers.tick(60_000);
    assert.equal(beats.length, before);
  });

  it('gives its slot to the next one, whatever its end', async () => {
    const ending = await begin();
    world.exit('agent');
    await resultOf(ending);
    await passTime(world.ports.slots.acquire('another-run', new AbortController().signal));
  });

  describe('whose agent says that it is done', () => {
    it('is told so before it ends', async () => {
      const ending = await begin();
      const id = world.send(doneMessage());
      await passTimeUntil(() => world.toldOf('signal_done').length > 0);
      world.exit('agent');
      const result = await resultOf(ending);
      assert.deepEqual(result.done, { id, status: 'success', summaryRef: result.done?.summaryRef });
      assert.equal(await world.ports.blobs.getText(result.done.summaryRef), 'All done.');
      assert.deepEqual(world.toldOf('signal_done'), [
        { kind: 'signal_done', slug: SLUG, turn: 1, done: result.done },
      ]);
    });

    it('is stopped when it lingers beyond its grace, and that is no reason of its own', async () => {
      const ending = await begin({ doneGraceMs: 5_000 });
      world.send(doneMessage());
      const { stopped, done: said } = await resultOf(ending);
      assert.deepEqual([stopped, said?.status, stops('agent')], [null, 'success', ['stop agent 5']]);
    });

    it('is heard also when that is the last thing before its end', async () => {
      const ending = await begin();
      world.send(doneMessage());
      world.exit('agent');
      assert.equal((await resultOf(ending)).done?.status, 'success');
    });

    it('ends although nobody can be told', async () => {
      world.channel.tell = (_id, event) =>
        event.kind === 'signal_done'
          ? Promise.reject(new Error('no Temporal'))
          : Promise.resolve(void world.told.push(event));
      const ending = await begin();
      world.send(doneMessage());
      world.exit('agent');
      assert.equal((await resultOf(ending)).done?.status, 'success');
    });
  });

  describe('is stopped', () => {
    const stoppedOf = async (ending: Ending): Promise<unknown> => (await resultOf(ending)).stopped;

    it('when its time is over', async () => {
      assert.equal(await stoppedOf(await watch({ turnTimeoutMs: 90_000 })), 'timeout');
      assert.deepEqual(stops('agent'), ['stop agent 5']);
    });

    it('when its time is over, in which the machine’s sleep does not count', async () => {
      let slept = 0;
      world.ports.clock.now = () => Date.now() + slept;
      world.ports.clock.steady = () => Date.now();
      const ending = await begin({ turnTimeoutMs: 3_600_000 });
      slept = 2 * 3_600_000;
      const began = Date.now();
      assert.equal(await stoppedOf(ending), 'timeout');
      assert.ok(Date.now() - began >= 3_000_000);
    });

    it('when its time is over, though the clock was set back meanwhile', async () => {
      let setBack = 0;
      world.ports.clock.now = () => Date.now() - setBack;
      world.ports.clock.steady = () => Date.now();
      const ending = await begin({ turnTimeoutMs: 3_600_000 });
      setBack = 100 * 3_600_000;
      const began = Date.now();
      assert.equal(await stoppedOf(ending), 'timeout');
      const took = Date.now() - began;
      assert.ok(took < setBack / 2, String(took));
    });

    it('when it was to be stopped while nobody watched', async () => {
      await begin().then(() => watched.attachments.take(SLUG));
      const ending = await watch({ begun: true, stop: 'operator' });
      assert.equal(await stoppedOf(ending), 'operator');
    });

    it('when it holds too much of the disk, with what was seen, and soon', async () => {
      const ending = await begin();
      await passTimeUntil(() => guarded !== undefined);
      guarded?.onOver('9 GiB of 8');
      const { stopped, limit } = await resultOf(ending);
      assert.deepEqual([stopped, limit], ['disk', { kind: 'disk', detail: '9 GiB of 8' }]);
      assert.deepEqual(stops('agent'), ['stop agent 1']);
      assert.deepEqual((await world.ports.files.readTurn(SLUG, 1))?.disk, { held: { bytes: 77, inodes: 7 } });
    });

    it('also while its record cannot be written, and then says why', async () => {
      const ending = await begin();
      await passTimeUntil(() => guarded !== undefined);
      const { files } = world.ports;
      const write = files.writeTurn.bind(files);
      files.writeTurn = () => Promise.reject(new Error('ENOSPC: no space left on device'));
      guarded?.onOver('9 GiB of 8');
      await passTimeUntil(() => stops('agent').length > 0);
      files.writeTurn = write;
      const { stopped, limit } = await resultOf(ending);
      assert.deepEqual([stopped, limit], ['disk', { kind: 'disk', detail: '9 GiB of 8' }]);
      assert.equal((await files.readTurn(SLUG, 1))?.stopped, 'disk');
    });

    it('when its sidecar floods the queue', async () => {
      const { queue } = world.ports;
      queue.read = () => Promise.resolve({ messages: [], flood: true, refused: [] });
      assert.equal(await stoppedOf(await begin()), 'queue_flood');
    });

    it('when its sidecar dies for the third time', async () => {
      const ending = await begin();
      for (const restarts of [1, 2]) {
        world.exit('bundle', 1);
        await passTimeUntil(() => world.containers.get('bundle')?.status === 'running');
        assert.equal(world.asked.filter((what) => what === 'start bundle').length, 1 + restarts);
      }
      world.exit('bundle', 1);
      const { stopped, sidecarRestarts } = await resultOf(ending);
      assert.deepEqual([stopped, sidecarRestarts], ['sidecar_died', 2]);
    });

    it('when its model’s budget is used up, a while after it was told', async () => {
      const model = {
        use: { ...NO_USE, requests: 1, inputTokens: 5 },
        trouble: { kind: 'over_budget', what: 'tokens' },
      } as const;
      const ending = await begin();
      world.send(egressMessage({ model }));
      const result = await resultOf(ending);
      assert.deepEqual([result.stopped, result.model?.use.inputTokens], ['budget', 5]);
      assert.deepEqual(stops('agent'), ['stop agent 5']);
    });

    it('when its workflow asks for that', async () => {
      const ending = await begin();
      watched.activity.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
      assert.equal((await resultOf(ending, 1)).stopped, null);
      assert.deepEqual(stops('agent'), ['stop agent 5']);
    });

    it('when a message of it killed worker after worker', async () => {
      const record = { ...blankTurnRecord(1), setAside: 'it killed two workers' };
      await world.ports.files.writeTurn(SLUG, record);
      const { setAside, stopped } = await resultOf(await watch());
      assert.deepEqual([setAside, stopped], ['it killed two workers', null]);
    });
  });

  it('is let go of a minute after its workflow has stopped it and takes none of its messages', async () => {
    world.channel.openPr = () => Promise.reject(new Error('workflow not found'));
    const ending = await begin();
    world.send(message({ kind: 'open_pr', title: 'Hello', body: '' } as const));
    const stoppedAt = Date.now();
    watched.activity.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    const error = await errorOf(ending);
    assert.ok(error instanceof Error && 'type' in error && error.type === 'TurnDetached');
    assert.ok(Date.now() - stoppedAt >= 60_000);
    assert.deepEqual([watched.runs, watched.attachments.has(SLUG)], [false, false]);
  });

  it('goes on when the worker goes away, and is found by the next', async () => {
    const ending = await begin();
    watched.activity.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    const error = await errorOf(ending);
    assert.ok(error instanceof Error && 'type' in error && 'nonRetryable' in error);
    assert.deepEqual(
      [error.type, error.nonRetryable, watched.runs, stops('agent')],
      ['TurnDetached', false, true, []],
    );
    watched.activity = new MockActivityEnvironment();
    const next = await watch({ begun: true }, 'attach');
    await passTimeUntil(() => world.toldOf('turn_started').length > 1);
    world.exit('agent', 4);
    assert.equal((await resultOf(next)).exitCode, 4);
    assert.equal(world.asked.filter((what) => what === 'start agent').length, 1);
  });

  it('is not tried again where a pause of it would hold tries back', async () => {
    const ending = await begin();
    watched.activity.cancel('PAUSED', new ActivityCancellationDetails({ paused: true }));
    const error = await errorOf(ending);
    assert.ok(error instanceof Error && 'nonRetryable' in error);
    assert.deepEqual([error.nonRetryable, watched.runs], [true, true]);
  });

  it('is left to who attaches anew', async () => {
    const ending = await begin();
    watched.attachments.take(SLUG);
    const error = await errorOf(ending);
    assert.ok(error instanceof Error && 'type' in error && error.type === 'TurnDetached');
    assert.ok(watched.attachments.has(SLUG) && watched.runs);
  });

  it('goes on when what its sidecars counted cannot be read', async () => {
    await begin().then(() => watched.attachments.take(SLUG));
    const { files } = world.ports;
    const read = files.readFile.bind(files);
    let isRead = false;
    files.readFile = (...of) => {
      if (isRead || !of[1].endsWith('egress.json')) return read(...of);
      isRead = true;
      return Promise.reject(new Error('EIO'));
    };
    const ending = await watch({ begun: true }, 'attach');
    await passTimeUntil(() => isRead && world.toldOf('turn_started').length > 1);
    // Nobody waits for it: unless it is caught there, it ends the worker.
    assert.ok(world.host.warned.some((said) => said.includes('could not be read')));
    world.exit('agent', 4);
    assert.equal((await resultOf(ending)).exitCode, 4);
  });

  it('waits while the engine cannot say how its agent is', async () => {
    const ending = await begin();
    let asked = 0;
    world.fault = (what) =>
      what === 'wait agent' && (asked += 1) < 4
        ? new BottleRuntimeError('away', true, { away: true })
        : undefined;
    world.print('{}');
    await passTimeUntil(() => asked > 2);
    world.exit('agent', 5);
    assert.equal((await resultOf(ending)).exitCode, 5);
  });

  it('is over when its container is gone', async () => {
    const ending = await begin();
    world.lose('agent');
    const { exitCode, imageId, startedAt } = await resultOf(ending);
    assert.deepEqual([exitCode, imageId, startedAt >= NOW], [CONTAINER_GONE, '', true]);
  });

  it('has what was done, counted and refused as blobs, and offers what was refused', async () => {
    const ending = await begin();
    const line = { id: 'a', at: NOW, operation: 'read_issue', target: '#12', outcome: 'ok', text: 'words' };
    world.send(message({ kind: 'operations', lines: [line] }) as unknown as QueueBody);
    world.send(egressMessage({ refusals: [{ host: 'a.example', count: 2 }] }));
    const counted = `${world.ports.files.paths(SLUG).root}/turns/1/egress.json`;
    await passTimeUntil(() => existsSync(counted));
    world.exit('agent');
    const { operationsRef, egressRef, offers } = await resultOf(ending);
    assert.match(await world.ports.blobs.getText(operationsRef ?? ''), /read_issue/);
    assert.match(await world.ports.blobs.getText(egressRef ?? ''), /a\.example/);
    assert.equal(offers?.length, 1);
  });

  describe('that never begins', () => {
    it('leaves no agent and no secret behind, and says why', async () => {
      world.fault = (what) => (what === 'start agent' ? new TypeError('x is none') : undefined);
      const error = await errorOf(await watch());
      assert.ok(error instanceof Error && 'code' in error && 'retryable' in error);
      assert.deepEqual([error.code, error.retryable, hasToken()], ['failed_thrice', false, false]);
      assert.match(error.message, /x is none/);
      assert.deepEqual([stops('agent'), stops('bundle')], [['stop agent 0'], ['stop bundle 3']]);
    });

    it('is over when it was stopped before', async () => {
      const error = await errorOf(await watch({ stop: 'operator' }));
      assert.ok(error instanceof BotBottleError);
      assert.deepEqual([error.code, error.retryable], ['turn_not_begun', false]);
      assert.match(error.message, /stopped before it began/);
      assert.deepEqual([stops('agent'), world.specs], [['stop agent 0'], []]);
    });
  });
});
