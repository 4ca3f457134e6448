import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mock } from 'node:test';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { keepEgress } from '../../../../src/activities/turn/egress-record.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { SetAsideError } from '../../../../src/domain/run/under-way.js';
import { NO_USE } from '../../../../src/domain/run/model-use.js';
import type { TurnRecord } from '../../../../src/domain/run/run-files.js';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { SLUG } from '../../../support/host/host-world.js';
import { passTimeUntil } from '../../../support/turn/pass-time.js';
import { NOW, TurnWorld } from '../../../support/turn/turn-world.js';
import {
  doneMessage,
  egressMessage,
  errorOf,
  resultOf,
  WatchedTurn,
  type Ending,
} from '../../../support/turn/watched-turn.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const HOUR_MS = 3_600_000;
const OVER_BUDGET = {
  use: { ...NO_USE, requests: 1 },
  trouble: { kind: 'over_budget', what: 'tokens' },
} as const;

describe('a turn that another worker has watched before', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let watched: WatchedTurn;
  /** When the agent was told to end, milliseconds after it was started. */
  let stopsAt: number[];
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
    watched = new WatchedTurn(world);
    stopsAt = [];
    world.fault = (what) => {
      if (what.startsWith('stop agent')) stopsAt.push(Date.now() - startedAt());
      return undefined;
    };
  });
  afterEach(() => mock.timers.reset());

  const startedAt = (): number => Date.parse(world.containers.get('agent')?.startedAt ?? '');
  const record = async (): Promise<TurnRecord> =>
    (await world.ports.files.readTurn(SLUG, 1)) ?? assert.fail('nothing is on disk');
  /** Hours, because time goes by while a file is read. */
  const near = (ms: number | undefined, expected: number): void => {
    const isNear = ms !== undefined && ms >= expected && ms < expected + HOUR_MS;
    assert.ok(isNear, `${String(ms)} and not ${String(expected)}`);
  };

  const saysDone = async (): Promise<void> => {
    world.send(doneMessage());
    await passTimeUntil(() => world.toldOf('signal_done').length === 1);
  };

  /** The first worker goes away. */
  async function isLeft(changes: Partial<TurnRecord> = {}, before = (): Promise<void> => Promise.resolve()) {
    const ending = await watched.begin();
    await before();
    watched.activity.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    await errorOf(ending);
    await world.ports.files.writeTurn(SLUG, { ...(await record()), ...changes });
    watched.activity = new MockActivityEnvironment();
  }
  const again = (changes: Partial<RunTurnInput> = {}): Promise<Ending> =>
    watched.watch({ begun: true, ...changes }, 'attach');

  it('tells again what was lost before it, and that its agent is done', async () => {
    await isLeft({ lost: ['home'] }, saysDone);
    const ending = await again();
    await passTimeUntil(
      () => world.toldOf('signal_done').length === 2 && world.toldOf('turn_started').length === 2,
    );
    world.exit('agent');
    assert.equal((await resultOf(ending)).done?.status, 'success');
    const [first, second] = world.toldOf('turn_started');
    assert.deepEqual([first?.lost, second?.lost], [undefined, ['home']]);
  });

  it('is stopped when the grace of a done agent is over, counted from its word', async () => {
    await isLeft({}, saysDone);
    const saidAt = ((await record()).done?.at ?? 0) - startedAt();
    mock.timers.tick(5 * HOUR_MS);
    const { stopped, agent } = await resultOf(await again({ doneGraceMs: 6 * HOUR_MS }));
    assert.deepEqual([stopped, agent.outcome], [null, 'stopped']);
    near(stopsAt[0], saidAt + 6 * HOUR_MS);
  });

  it('is stopped when its budget was used up while nobody watched', async () => {
    await isLeft();
    await keepEgress(world.ports.files, SLUG, 1, egressMessage({ model: OVER_BUDGET }));
    assert.equal((await resultOf(await again())).stopped, 'budget');
  });

  it('is not stopped for its budget when it had said that it was done', async () => {
    await isLeft({}, saysDone);
    await keepEgress(world.ports.files, SLUG, 1, egressMessage({ model: OVER_BUDGET }));
    assert.equal((await resultOf(await again({ doneGraceMs: 30_000 }))).stopped, null);
  });

  it('has its time without what it was held for', async () => {
    await isLeft({ heldMs: 2 * HOUR_MS });
    mock.timers.tick(4 * HOUR_MS);
    assert.equal((await resultOf(await again({ turnTimeoutMs: 3 * HOUR_MS }))).stopped, 'timeout');
    near(stopsAt[0], 5 * HOUR_MS);
  });

  for (const [how, exitCode] of [
    ['by itself', 0],
    ['with its machine', 255],
  ] as const)
    it(`was not stopped for its time when it ended ${how} while nobody watched, for longer than that`, async () => {
      await isLeft();
      world.exit('agent', exitCode);
      mock.timers.tick(4 * HOUR_MS);
      const result = await resultOf(await again({ turnTimeoutMs: 3 * HOUR_MS }));
      assert.deepEqual([result.stopped, result.exitCode, stopsAt], [null, exitCode, []]);
    });

  it('was not stopped for its time when the engine was away until after that, and had ended it', async () => {
    await isLeft();
    let tries = 0;
    const { fault } = world;
    world.fault = (what) =>
      what.endsWith('agent') && (tries += 1) < 9 ? new BottleRuntimeError('no engine', true) : fault(what);
    mock.timers.tick(4 * HOUR_MS);
    const ending = await again({ turnTimeoutMs: 3 * HOUR_MS });
    await passTimeUntil(() => tries > 3, 500);
    world.exit('agent', 255);
    const result = await resultOf(ending);
    assert.deepEqual([result.stopped, result.exitCode, stopsAt], [null, 255, []]);
  });

  it('was not stopped for its sidecar when both ended with their machine', async () => {
    await isLeft({ sidecarRestarts: 2 });
    world.exit('agent', 255);
    world.exit('bundle', 255);
    assert.equal((await resultOf(await again())).stopped, null);
  });

  it('keeps the first reason it was stopped for', async () => {
    await isLeft({ stopped: 'timeout', stopDetail: 'x' });
    assert.equal((await resultOf(await again({ stop: 'operator' }))).stopped, 'timeout');
    assert.equal((await record()).stopDetail, 'x');
  });

  it('is stopped when its workflow asked for that before anybody looked', async () => {
    await isLeft();
    let look = (): void => undefined;
    world.ports.disk.look = () =>
      new Promise((resolve) => {
        look = () => {
          resolve({ bytes: 0, inodes: 0 });
        };
      });
    const ending = await again();
    watched.activity.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    look();
    assert.equal((await resultOf(ending, 1)).stopped, null);
    assert.equal(stopsAt.length, 1);
  });

  it('leaves no agent and no secret behind where collecting it killed worker after worker', async () => {
    await isLeft();
    world.ports.underWay.during = (work, run) =>
      work.key === 'end-1' ? Promise.reject(new SetAsideError(work)) : run();
    const ending = await again();
    world.exit('agent');
    assert.match(String(await errorOf(ending)), /collecting turn 1 was under way at two crashes/);
    assert.deepEqual(
      world.asked.filter((what) => what.startsWith('stop')),
      ['stop agent 0', 'stop bundle 3'],
    );
    assert.equal(existsSync(world.ports.files.paths(SLUG).bundleToken), false);
  });

  it('has the times of its container', async () => {
    await isLeft();
    const ending = await again();
    mock.timers.tick(5_000);
    world.exit('agent');
    const { finishedAt = '' } = world.containers.get('agent') ?? {};
    mock.timers.tick(5_000);
    const result = await resultOf(ending);
    assert.deepEqual([result.startedAt, result.finishedAt], [startedAt(), Date.parse(finishedAt)]);
  });
});

describe('a turn whose budget is used up', () => {
  const newPath = useNewPaths();
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
  });
  afterEach(() => mock.timers.reset());

  it('was stopped for that also when its agent ended by itself', async () => {
    const world = await TurnWorld.open(newPath());
    const ending = await new WatchedTurn(world).begin();
    world.send(egressMessage({ model: OVER_BUDGET }));
    world.exit('agent', 1);
    assert.equal((await resultOf(ending)).stopped, 'budget');
  });

  it('was not when its agent was done', async () => {
    const world = await TurnWorld.open(newPath());
    const ending = await new WatchedTurn(world).begin();
    world.send(doneMessage());
    world.send(egressMessage({ model: OVER_BUDGET }));
    world.exit('agent');
    const { stopped, model } = await resultOf(ending);
    assert.deepEqual([stopped, model?.trouble?.kind], [null, 'over_budget']);
  });
});
