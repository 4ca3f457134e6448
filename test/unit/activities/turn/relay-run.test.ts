import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { Relay } from '../../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { passTimeUntil } from '../../../support/turn/pass-time.js';

describe('the relay, for as long as its turn runs', () => {
  let looks: number;
  let tell: () => void;
  let unwatched: number;
  let read: () => Promise<unknown>;
  const world = useHostWorld();
  let over: AbortController;
  let running: Promise<void>;

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [looks, unwatched, tell] = [0, 0, () => assert.fail('nobody watches')];
    read = () => Promise.resolve({ messages: [], flood: false, refused: [] });
    const { files } = world.ports;
    const ports = {
      ...world.ports,
      queue: {
        read: () => {
          looks += 1;
          return read();
        },
        watch: (_slug: string, onChange: () => void) => {
          tell = onChange;
          return () => void (unwatched += 1);
        },
      },
    } as unknown as HostPorts;
    const journal = await TurnJournal.open(files, SLUG, 1, { now: () => 0 });
    const nothing = (): void => assert.fail('nothing happens');
    over = new AbortController();
    running = new Relay(ports, await world.turning(), journal, {
      ...{ onDone: nothing, onFlood: nothing, onOverBudget: nothing, onSetAside: nothing },
    }).run(over.signal);
    await lookedAt(1);
  });
  afterEach(async () => {
    over.abort();
    await running;
    mock.timers.reset();
  });

  /** Without any time that passes. */
  const lookedAt = (times: number): Promise<void> => passTimeUntil(() => looks === times, 0);

  it('looks when the queue tells of a change, and not before', async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(looks, 1);
    tell();
    await lookedAt(2);
  });

  it('looks every now and then when the queue tells nothing', async () => {
    mock.timers.tick(499);
    assert.equal(looks, 1);
    mock.timers.tick(1);
    await lookedAt(2);
  });

  it('says that the queue cannot be read, and looks again', async () => {
    read = () => Promise.reject(new Error('no disk'));
    tell();
    await lookedAt(2);
    await passTimeUntil(() => world.warned.length > 0, 0);
    assert.deepEqual(world.warned, ['queue could not be read; trying again']);
    tell();
    await lookedAt(3);
  });

  it('says which files of the queue it does not take', async () => {
    const refused = [{ fileName: 'x', reason: 'is a link' }];
    read = () => Promise.resolve({ messages: [], flood: false, refused });
    tell();
    await passTimeUntil(() => world.warned.length > 0, 0);
    assert.deepEqual(world.warned, ['a file in the queue was refused']);
  });

  it('says of a file that stays only once that it is not taken, and of 256 in a turn at most', async () => {
    const stay = (names: readonly string[]): void => {
      const refused = names.map((fileName) => ({ fileName, reason: 'not a regular file' }));
      read = () => Promise.resolve({ messages: [], flood: false, refused });
    };
    const look = async (): Promise<void> => {
      const before = looks;
      tell();
      await lookedAt(before + 1);
    };
    const names = Array.from({ length: 200 }, (_, at) => String(at));
    stay(names);
    for (let times = 0; times < 3; times += 1) await look();
    assert.equal(world.warned.length, 200);
    stay(names.map((name) => `${name}x`));
    for (let times = 0; times < 3; times += 1) await look();
    assert.equal(world.warned.length, 256);
  });

  it('ends when it is told to, and watches no longer', async () => {
    over.abort();
    await running;
    assert.deepEqual([looks, unwatched], [1, 1]);
  });
});
