import assert from 'node:assert/strict';
import { running } from '../../../support/machine/stages.js';
import {
  comment,
  done,
  failing,
  ids,
  kinds,
  observed,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

const HOUR_MS = 3_600_000;

describe('what wakes a run', () => {
  it('is nothing that it knows already, although that waits', () => {
    const world = World.woken();
    world.fail('prepare');
    assert.deepEqual(world.feed(wrote(comment(1))), []);
    assert.deepEqual([world.reason, world.life.mailbox.waiting], ['failed', [comment(1)]]);
  });

  it('is counted for an hour: then it may be woken again', () => {
    const world = World.frozenDone();
    for (let id = 1; id <= 10; id += 1) {
      world.feed(wrote(comment(id)));
      world.liveTurn({ done });
    }
    world.now += HOUR_MS;
    assert.deepEqual(kinds(world.feed(wrote(comment(11)))), ['prepare_turn']);
    assert.deepEqual(world.life.wakes, [world.now]);
  });

  it('is said to be too often, waits until the first of ten is an hour ago, and needs nobody then', () => {
    const world = World.frozenDone();
    for (let id = 1; id <= 10; id += 1) {
      world.now += 60_000;
      world.feed(wrote(comment(id)));
      world.liveTurn({ done });
    }
    const [first = 0, second = 0] = world.life.wakes;
    const until = first + HOUR_MS;
    world.feed(wrote(comment(11)));
    const why = `woken 10 times within an hour: goes on at ${new Date(until).toISOString()}`;
    assert.deepEqual([world.reason, world.life.detail], ['paused', why]);
    assert.equal(world.frozen.resumeAt, until);
    assert.deepEqual(world.feed(wrote(comment(12))), [], 'what comes meanwhile waits, too');
    assert.deepEqual(ids(world.life.mailbox.waiting), [11, 12]);
    assert.deepEqual(kinds(world.due()), ['prepare_turn']);
    assert.deepEqual([world.now, world.turn.cause.kind, ids(world.turn.taken)], [until, 'wake', [11, 12]]);
    world.liveTurn({ done });
    world.feed(wrote(comment(13)));
    assert.equal(world.frozen.resumeAt, second + HOUR_MS, 'that was a wake, too');
  });

  it('does not hold the operator back when it is too often, who may also have it wait for him', () => {
    const tooOften = (): World => {
      const world = World.frozenDone();
      for (let id = 1; id <= 11; id += 1) {
        world.feed(wrote(comment(id)));
        if (id <= 10) world.liveTurn({ done });
      }
      return world;
    };
    assert.deepEqual(tooOften().feed({ kind: 'unpaused' }), [], 'no pause of new turns held it back');
    const resumed = tooOften();
    assert.ok(kinds(resumed.command({ kind: 'resume', promptRef: null })).includes('prepare_turn'));
    const frozen = tooOften();
    frozen.command({ kind: 'freeze' });
    assert.deepEqual([frozen.reason, frozen.frozen.resumeAt], ['paused', null]);
  });

  it('is no count of checks where a person wrote as well, or asked again', () => {
    const world = World.frozenDone();
    world.feed(wrote(failing('h')));
    world.liveTurn({ done });
    assert.equal(world.life.checkWakes, 1);
    assert.ok(world.life.timeline.some(({ what }) => what === 'woken by failed checks, 1 of 3 in a row'));
    world.feed(observed({ readAt: 2_000, triggered: false }));
    world.feed(observed({ readAt: 9_000, trigger: trigger(8_000) }));
    assert.deepEqual([world.turn.cause.kind, world.life.checkWakes], ['retriggered', 0]);
    world.feed(wrote(failing('h', 'y'), comment(1)));
    world.liveTurn({ done });
    assert.deepEqual([world.turn.cause.kind, world.life.checkWakes], ['wake', 0]);
  });

  it('is no wake by checks where nothing was left to tell, and the ones before count on', () => {
    const world = World.frozenDone();
    for (const names of ['a', 'b']) {
      world.feed(wrote(failing('h', names)));
      world.liveTurn({ done });
    }
    world.feed(wrote(failing('h', 'c')));
    assert.equal(world.life.checkWakes, 3);
    world.nothingLeft();
    assert.equal(world.life.checkWakes, 2);
  });

  it('is what came while its prompt was made, and is not in that in its latest form', () => {
    const world = World.woken();
    const edited = { ...comment(1), key: 'comment:1:y' };
    world.feed(wrote(edited, comment(2)));
    world.prepare({ readKeys: [edited.key] });
    assert.deepEqual(world.life.mailbox.waiting, [comment(2)]);
  });

  it('is known again among the latest four thousand things that it was told', () => {
    const world = World.woken();
    world.prepare({ readKeys: Array.from({ length: 4_000 }, (_, n) => `comment:${String(n + 2)}:x`) });
    assert.deepEqual([world.state.seen.length, world.state.seen[0]], [4_000, 'comment:2:x']);
  });

  it('is one report of each commit that fails, and each comment on a line in its latest form', () => {
    const world = running();
    const inline = (key: string) => ({ ...comment(5), kind: 'inline', key }) as const;
    world.feed(wrote(failing('a', '1'), failing('b', '1'), inline('first'), failing('a', '2')));
    world.feed(wrote(inline('second')));
    const keys = (): string[] => world.life.mailbox.waiting.map(({ key }) => key);
    assert.deepEqual(keys(), ['checks:b:1', 'second', 'checks:a:2']);
    world.feed({ ...wrote(), withdrawn: [5] });
    assert.deepEqual(keys(), ['checks:b:1', 'checks:a:2']);
  });
});
