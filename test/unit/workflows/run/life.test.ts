import assert from 'node:assert/strict';
import {
  comment,
  done,
  ids,
  kinds,
  observed,
  PLACE,
  PUBLISHED,
  trigger,
  turnResult,
  World,
  wrote,
} from '../../../support/machine/world.js';

const AT = 100_000;
const MOVED = { ...PLACE, owner: 'carol', repo: 'renamed' };

describe('a run and where its repository is', () => {
  it('keeps going under the new name of its repository, and its row is written anew', () => {
    const world = World.frozenDone();
    const { stage } = world.life;
    assert.deepEqual(kinds(world.feed(observed({ readAt: AT, place: MOVED }))), ['record_state']);
    assert.deepEqual([world.state.place, world.life.stage], [MOVED, stage]);
    assert.deepEqual(world.feed(observed({ readAt: AT + 1, place: MOVED })), []);
  });

  it('is told of the new name by a comment as well, before it is woken by it', () => {
    const world = World.frozenDone();
    const wanted = world.feed({ ...wrote(comment(1)), place: MOVED });
    assert.deepEqual(kinds(wanted), ['record_state', 'prepare_turn']);
    assert.deepEqual(world.state.place, MOVED);
    const foreign = World.frozenDone();
    assert.deepEqual(foreign.feed({ ...wrote(comment(1)), place: { ...PLACE, repoId: 8 } }), []);
  });

  it('prepares the same turn once more where the repository is, and gives up when it is nowhere else', () => {
    const world = World.woken();
    world.prepareEnds({ kind: 'moved', place: MOVED });
    assert.deepEqual(ids(world.preparing.references), [1]);
    world.prepareEnds({ kind: 'moved', place: MOVED });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'failed']);
    assert.deepEqual(ids(world.life.mailbox.waiting), [1]);
  });

  it('takes no notice of another repository that has taken its name', () => {
    const world = World.frozenDone();
    const other = { ...PLACE, repoId: 8 };
    const before = world.state;
    world.feed(observed({ readAt: AT, open: false, closedAt: AT, place: other }));
    world.feed(observed({ readAt: AT + 1, trigger: trigger(AT), place: other }));
    assert.deepEqual(world.state, before);
  });

  it('rests while its repository is not served: what people write is kept, and goes along with its next turn', () => {
    const world = World.frozenDone();
    const unserved = { kind: 'unserved', why: 'the repository is eve/demo now' } as const;
    assert.deepEqual(kinds(world.feed(unserved)), ['record_state']);
    assert.deepEqual(
      [world.phase, world.reason, world.life.detail],
      ['frozen', 'unserved', 'the repository is eve/demo now'],
    );
    assert.deepEqual(world.feed(unserved), []);
    assert.deepEqual(world.feed(wrote(comment(1))), []);
    world.feed(observed({ readAt: AT }));
    assert.deepEqual(ids(world.preparing.references), [1]);
    assert.deepEqual([world.turn.cause.kind, world.life.withheld], ['retriggered', null]);
  });

  it('publishes nothing of the turn that runs when its repository is served no longer', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.start();
    assert.ok(world.feed({ kind: 'unserved', why: 'elsewhere' }).some(({ kind }) => kind === 'stop_turn'));
    world.pay('run');
    const result = turnResult({ exitCode: 143, stopped: 'unserved' });
    const [settle] = world.feed({ kind: 'turn_finished', turn: 1, result });
    assert.ok(settle?.kind === 'settle_turn' && !settle.input.publish);
    world.settle();
    assert.deepEqual([world.phase, world.reason], ['frozen', 'unserved']);
    // Nobody asks for it any longer, either: served again, it waits for that.
    world.feed(observed({ readAt: AT + 1, triggered: false }));
    assert.equal(world.reason, 'untriggered');
  });

  it('records how its turn ended, not why it was held back, when it is ended before the work is published', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.start();
    world.finish();
    world.feed({ kind: 'unserved', why: 'elsewhere' });
    world.feed({ kind: 'lost', readAt: AT + 1, why: 'gone' });
    const row = world.settle().find(({ kind }) => kind === 'record_turn');
    assert.ok(row?.kind === 'record_turn');
    assert.equal(row.input.reason, 'incomplete');
  });
});

describe('trigger acts within one second of the forge’s clock', () => {
  it('lets another agent have the issue when the label is changed before the first could begin', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT, { agent: 'first', actId: 5 }) }));
    world.feed(observed({ readAt: AT + 300, trigger: trigger(AT, { agent: 'second', actId: 7 }) }));
    world.claimed();
    world.prepareEnds({ kind: 'refused', reason: 'the label is gone' });
    assert.equal(world.phase, 'destroyed');
    world.continueIntoNextLife();
    assert.equal(world.state.life?.trigger.agent, 'second');
  });

  it('begins anew for a label that was added again in the second in which the run was closed', () => {
    const world = World.frozenDone();
    world.feed(
      observed({ readAt: AT + 500, prs: [{ number: 13, open: false, merged: false, closedAt: AT }] }),
    );
    world.feed(observed({ readAt: AT + 900, trigger: trigger(AT, { actId: 9 }) }));
    world.destroyed();
    assert.equal(world.state.pendingTrigger?.actId, 9);
  });

  it('has for its second life what was written after the trigger, while the first one ended and since', () => {
    const world = World.frozenDone();
    world.feed(
      observed({ readAt: AT + 500, prs: [{ number: 13, open: false, merged: false, closedAt: AT }] }),
    );
    world.feed(wrote({ ...comment(1), at: AT + 1_000 }));
    world.feed(observed({ readAt: AT + 3_000, trigger: trigger(AT + 2_000) }));
    world.feed(wrote({ ...comment(2), at: AT + 1_000 }, { ...comment(3), at: AT + 2_000 }));
    world.feed(wrote({ ...comment(3), at: AT + 2_000 }, { ...comment(4), at: AT + 4_000 }));
    world.destroyed();
    world.feed(wrote({ ...comment(5), at: AT + 5_000 }));
    world.feed({ ...wrote(), withdrawn: [4] });
    assert.deepEqual(world.life.mailbox.waiting, []);
    world.continueIntoNextLife();
    assert.deepEqual(ids(world.life.mailbox.waiting), [3, 5]);
    world.liveTurn({ done });
    assert.deepEqual(ids(world.turn.taken), [3, 5]);
    assert.deepEqual(world.state.pendingReferences, []);
  });

  it('stays destroyed for the act that began it, however often that is seen', () => {
    const world = new World();
    const first = trigger(AT, { actId: 5 });
    world.feed(observed({ readAt: AT, trigger: first }));
    world.start();
    // Closed within the second of its trigger.
    world.feed(observed({ readAt: AT + 500, open: false, closedAt: AT }));
    world.endTurn();
    world.destroyed();
    world.feed(observed({ readAt: AT + 700, trigger: first }));
    assert.equal(world.state.pendingTrigger, null);
  });
});

describe('a run whose subject is a pull request', () => {
  const onPull = (): World => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT, { pull: 12 }) }));
    world.liveTurn({ done });
    return world;
  };

  it('has that pull request from the beginning', () => {
    assert.deepEqual(
      onPull().life.prs.map(({ number, open }) => [number, open]),
      [[12, true]],
    );
  });

  it('is woken by what people do there, and ends when it is closed', () => {
    const world = onPull();
    world.feed(wrote({ ...comment(1), kind: 'push', key: 'push:abc', sha: 'abc' }));
    assert.equal(world.phase, 'rehydrating');
    const ended = onPull();
    const closedAt = AT + 5_000;
    ended.feed(
      observed({
        readAt: closedAt,
        open: false,
        closedAt,
        prs: [{ number: 12, open: false, merged: true, closedAt }],
      }),
    );
    assert.equal(ended.phase, 'destroying');
    assert.match(ended.life.closing?.why ?? '', /PR #12 merged/);
  });
});

describe('a run that the reopening of a pull request began', () => {
  it('works on that one’s branch to its end, whatever asks for it again, and no other run does', () => {
    for (const [first, again] of [
      [31, null],
      [null, 31],
    ] as const) {
      const world = new World();
      world.feed(observed({ readAt: AT, trigger: trigger(AT, { pull: first }) }));
      world.liveTurn({ done });
      const asked = trigger(AT + 2_000, { pull: again, actor: 'bob', actId: 7 });
      world.feed(observed({ readAt: AT + 3_000, trigger: asked }));
      world.feed(wrote(comment(1)));
      assert.deepEqual(world.preparing.trigger, { ...asked, pull: first });
    }
  });
});

describe('a run with several pull requests', () => {
  it('does not end with one of an earlier life, of which it is told when that is closed', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.start();
    const closedAt = AT + 1_000;
    world.feed(observed({ readAt: closedAt, prs: [{ number: 13, open: false, merged: false, closedAt }] }));
    assert.equal(world.phase, 'running');
  });

  it('ends with the last of them', () => {
    const world = World.frozenDone();
    const second = { number: 14, open: true, merged: false, closedAt: null };
    const closedAt = AT + 1_000;
    world.feed(observed({ readAt: AT, prs: [second] }));
    world.feed(observed({ readAt: closedAt, prs: [{ number: 13, open: false, merged: true, closedAt }] }));
    assert.equal(world.phase, 'frozen');
    world.feed(observed({ readAt: closedAt + 1, prs: [{ ...second, open: false, closedAt }] }));
    assert.equal(world.phase, 'destroying');
  });
});

describe('a run that is asked for again while something else goes on', () => {
  const refused = { kind: 'refused', reason: 'no assignee is a member' } as const;

  it('is prepared once more when the refusal may be older than the act', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT, { actId: 5 }) }));
    world.feed(observed({ readAt: AT + 300, trigger: trigger(AT, { actId: 7 }) }));
    world.claimed();
    assert.deepEqual(kinds(world.prepareEnds(refused)), ['prepare_turn']);
    assert.equal(world.turn.number, 1);
    world.prepareEnds(refused);
    assert.equal(world.phase, 'destroyed', 'and not for ever');
  });

  it('is prepared once more, too, when the second label of a moment is gone again', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.feed(observed({ readAt: AT + 300, trigger: trigger(AT) }));
    assert.equal(world.prepareEnds(refused)[0]?.kind, 'prepare_turn');
  });

  it('is not prepared again after it was closed', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.feed(observed({ readAt: AT + 300, trigger: trigger(AT) }));
    world.feed(observed({ readAt: AT + 600, open: false, closedAt: AT }));
    world.prepareEnds(refused);
    assert.equal(world.phase, 'destroyed');
  });

  it('runs again after the turn that was being stopped for the lack of its trigger', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.start();
    world.feed(observed({ readAt: AT + 1_000, triggered: false }));
    world.feed(observed({ readAt: AT + 2_000, trigger: trigger(AT + 2_000) }));
    world.endTurn({ exitCode: 143, stopped: 'untriggered' });
    assert.deepEqual([world.phase, world.turn.cause.kind], ['rehydrating', 'retriggered']);
  });

  it('has another turn where what its agent had finished was not published for the lack of it', () => {
    const lost = observed({ readAt: AT + 1_000, triggered: false });
    const unserved = { kind: 'unserved', why: 'elsewhere' } as const;
    for (const withheld of [lost, unserved])
      for (const status of ['success', 'blocked', 'failed'] as const) {
        const world = new World();
        world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
        world.start();
        world.feed(withheld);
        world.finish({ exitCode: 143, done: { ...done, status } });
        const again = withheld === lost ? trigger(AT + 2_000) : null;
        world.feed(observed({ readAt: AT + 2_000, trigger: again }));
        const [, prepare] = world.settle();
        assert.equal(prepare?.kind, 'prepare_turn', `${withheld.kind}, ${status}`);
        assert.equal(world.turn.cause.kind, 'retriggered');
      }
  });

  it('has none where that was published, or the operator has frozen it', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    world.start();
    world.finish({ done });
    world.feed(observed({ readAt: AT + 1_000, triggered: false }));
    world.feed(observed({ readAt: AT + 2_000, trigger: trigger(AT + 2_000) }));
    world.settle({ publish: PUBLISHED });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'done']);
    const frozen = new World();
    frozen.feed(observed({ readAt: AT, trigger: trigger(AT) }));
    frozen.start();
    frozen.command({ kind: 'freeze' });
    frozen.feed(observed({ readAt: AT + 1_000, triggered: false }));
    frozen.finish({ exitCode: 143 });
    frozen.feed(observed({ readAt: AT + 2_000, trigger: trigger(AT + 2_000) }));
    frozen.settle();
    assert.deepEqual([frozen.phase, frozen.reason], ['frozen', 'paused']);
  });
});
