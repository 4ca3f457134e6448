import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { TurnJournal } from '../../../../../src/activities/turn/turn-journal.js';
import { beginWhenPossible } from '../../../../../src/activities/turn/begin/begin-when-possible.js';
import {
  BotBottleError,
  BottleRuntimeError,
  GitAccessError,
  InvalidInputError,
} from '../../../../../src/domain/base/errors.js';
import { SLUG } from '../../../../support/host/host-world.js';
import { passTime, passTimeUntil } from '../../../../support/turn/pass-time.js';
import { NOW, TurnWorld } from '../../../../support/turn/turn-world.js';
import { useNewPaths } from '../../../../support/webhook/temp-dir.js';

const away = (message = 'no engine'): BottleRuntimeError =>
  new BottleRuntimeError(message, true, { away: true });

describe('a turn that cannot begin yet', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let marked: string[];
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW });
    marked = [];
    world.ports.underWay.during = (work, run) => {
      marked.push(work.key);
      return run();
    };
  });
  afterEach(() => mock.timers.reset());

  const begin = async (signal = new AbortController().signal): Promise<TurnJournal> => {
    const promptRef = await world.ports.blobs.put('Do it.');
    const turn = await world.host.turning();
    return beginWhenPossible(world.ports, { ...turn, prepared: { ...turn.prepared, promptRef } }, signal);
  };
  /** The engine fails so often. */
  const failing = (times: number, error: (time: number) => Error): void => {
    let failed = 0;
    world.fault = (what) => (what === 'create bundle' && failed < times ? error((failed += 1)) : undefined);
  };

  it('is tried until it can, and its run is told why not, once for each reason', async () => {
    failing(4, (time) => away(time < 3 ? 'no engine' : 'x'.repeat(600)));
    const { record } = await passTime(begin());
    assert.equal(record.provider?.name, 'scripted');
    assert.deepEqual(world.toldOf('turn_held_up'), [
      { kind: 'turn_held_up', slug: SLUG, turn: 1, reason: 'no engine' },
      { kind: 'turn_held_up', slug: SLUG, turn: 1, reason: 'x'.repeat(500) },
    ]);
    assert.deepEqual(marked, Array(5).fill('begin-1'), 'each try is marked by itself');
  });

  it('is tried after a second, then after twice as long, up to half a minute', async () => {
    const at: number[] = [];
    // Nothing of the disk, which takes time of its own.
    world.ports.files.readTurn = () => Promise.resolve(undefined);
    world.ports.slots.acquire = () => {
      at.push(Date.now());
      return Promise.reject(at.length < 8 ? away() : new InvalidInputError('enough'));
    };
    await assert.rejects(passTime(begin(), 50), /enough/);
    const pauses = at.slice(1).map((time, before) => Math.round((time - (at[before] ?? 0)) / 1_000));
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30]);
  });

  for (const repo of ['demo', 'renamed'])
    it(`begins where the repository is now, ${repo}, when git does not find it`, async () => {
      const { refresh, forge } = world.host;
      const asked: string[] = [];
      forge.places.set(7, { repoId: 7, owner: 'alice', repo });
      world.host.refresh = (...of) => {
        asked.push(of[0].repo);
        return asked.length === 1 ? Promise.reject(new GitAccessError('not found')) : refresh(...of);
      };
      await passTime(begin());
      assert.deepEqual(asked, ['demo', repo]);
      const sidecar = world.asked.filter((what) => /^(stop|start) bundle/.test(what));
      assert.deepEqual(sidecar, ['start bundle', 'stop bundle 1', 'start bundle'], 'it hears of it');
    });

  it('tells it again when it was not heard', async () => {
    let calls = 0;
    world.channel.tell = () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('no Temporal')) : Promise.resolve();
    };
    failing(3, () => away());
    await passTime(begin());
    assert.equal(calls, 2);
  });

  it('is not waited for at what no repetition cures', async () => {
    const error = new InvalidInputError('no such image');
    failing(1, () => error);
    await assert.rejects(passTime(begin()), error);
    assert.deepEqual(world.told, []);
  });

  for (const [what, error] of [
    ['what the engine answers', new BottleRuntimeError('no space left on device', true)],
    ['a fault of our own', new TypeError('x')],
  ] as const)
    it(`is given up at ${what} when it is so three times in a row`, async () => {
      failing(6, (time) => (time === 3 ? away() : error));
      const given = await passTime(begin()).catch((thrown: unknown) => thrown);
      assert.ok(given instanceof BotBottleError && !given.retryable);
      assert.deepEqual([given.message, given.cause], [error.message, error]);
      assert.deepEqual(world.toldOf('turn_held_up').length, 1, 'it was waited for what was away');
      assert.equal(marked.length, 6);
    });

  it('is not waited for any more when it is called off', async () => {
    const abort = new AbortController();
    failing(100, () => away());
    const ending = begin(abort.signal);
    ending.catch(() => undefined);
    await passTimeUntil(() => world.toldOf('turn_held_up').length > 0);
    abort.abort(new Error('cancelled'));
    await assert.rejects(passTime(ending));
  });

  it('waits for its slot, unless its agent runs already', async () => {
    await passTime(begin());
    const first = world.asked.filter((what) => what === 'start agent').length;
    const { slots } = world.ports;
    slots.release(SLUG);
    await slots.acquire('another-run', new AbortController().signal);
    await passTime(begin());
    assert.equal(world.asked.filter((what) => what === 'start agent').length, first);
    world.exit('agent');
    world.lose('agent');
    const abort = new AbortController();
    const waiting = begin(abort.signal);
    waiting.catch(() => undefined);
    slots.release(SLUG);
    abort.abort(new Error('cancelled'));
    await assert.rejects(passTime(waiting), /cancelled/);
  });
});
