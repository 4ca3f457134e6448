import assert from 'node:assert/strict';
import type { Trigger } from '../../../../src/domain/run/events.js';
import { initialState } from '../../../../src/workflows/run/beginnings.js';
import { running } from '../../../support/machine/stages.js';
import {
  comment,
  done,
  kinds,
  observed,
  PLACE,
  POLICY,
  SUBJECT,
  trigger,
  World,
} from '../../../support/machine/world.js';

const AT = 100_000;
const pr = (number: number, change: object = {}) => ({
  ...{ number, open: true, merged: false, closedAt: null },
  ...change,
});

describe('what the forge is seen to say of a run', () => {
  it('is followed by the repository’s new owner, or its new name, alone', () => {
    for (const change of [{ owner: 'bob' }, { repo: 'renamed' }]) {
      const world = World.frozenDone();
      const place = { ...PLACE, ...change };
      assert.deepEqual(kinds(world.feed(observed({ readAt: AT, place }))), ['record_state']);
      assert.equal(world.life.timeline.at(-1)?.what, `the repository is ${place.owner}/${place.repo} now`);
    }
  });

  it('of its pull request counts as it was read last, not as it was heard last', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: AT, prs: [pr(13), pr(14)] }));
    world.feed(observed({ readAt: AT - 1, prs: [pr(13, { open: false, closedAt: AT - 2 })] }));
    assert.deepEqual(world.life.prs, [
      { number: 13, open: true, readAt: AT },
      { number: 14, open: true, readAt: AT },
    ]);
    world.feed(observed({ readAt: AT, prs: [pr(13, { open: false, closedAt: AT })] }));
    assert.deepEqual(
      world.life.prs.map(({ number, open }) => [number, open]),
      [
        [14, true],
        [13, false],
      ],
      'of the same moment the later word',
    );
    assert.equal(world.phase, 'frozen');
  });

  it('counts although it is older than a read before the clock was set back', () => {
    const ahead = 24 * 3_600_000;
    const world = World.frozenDone();
    world.feed(observed({ readAt: world.now + ahead, prs: [pr(13)] }));
    world.feed(observed({ readAt: world.now, prs: [pr(13, { open: false })] }));
    assert.deepEqual(world.life.closing, { at: world.now, why: 'PR #13 closed' });
  });

  it('ends the run with its last pull request, merged or closed, since when it was', () => {
    for (const [change, closing] of [
      [{ closedAt: AT - 5 }, { at: AT - 5, why: 'PR #13 closed' }],
      [
        { closedAt: AT - 5, merged: true },
        { at: AT - 5, why: 'PR #13 merged' },
      ],
      [{ closedAt: null }, { at: AT, why: 'PR #13 closed' }],
    ] as const) {
      const world = World.frozenDone();
      world.feed(observed({ readAt: AT, prs: [pr(13, { open: false, ...change })] }));
      assert.deepEqual(world.life.closing, closing);
    }
  });

  it('ends the run with its issue, since when that was closed, or was seen to be', () => {
    for (const [closedAt, at] of [
      [AT - 5, AT - 5],
      [null, AT],
    ] as const) {
      const world = World.triggered();
      world.liveTurn({ done });
      world.feed(observed({ readAt: AT, open: false, closedAt }));
      assert.deepEqual(world.life.closing, { at, why: 'issue closed' });
    }
  });

  it('ends it by the forge’s clock, whichever of us ended it: a label is later, or earlier, by that alone', () => {
    for (const aheadMs of [-3_600_000, 3_600_000]) {
      const ends: readonly ((world: World) => void)[] = [
        (world) => void world.feed({ kind: 'command', command: { kind: 'destroy' }, at: world.now }),
        (world) => void world.feed({ kind: 'lost', readAt: world.now, why: 'gone' }),
        (world) => void world.feed(observed({ readAt: world.now, aheadMs, open: false })),
        (world) => {
          for (const open of [true, false])
            world.feed(observed({ readAt: world.now, aheadMs, prs: [pr(13, { open })] }));
        },
      ];
      for (const end of ends) {
        const world = World.triggered();
        world.liveTurn({ done });
        world.feed(observed({ readAt: world.now, aheadMs }));
        end(world);
        assert.equal(world.life.closing?.at, world.now + aheadMs);
      }
    }
  });

  it('is not taken to be still ahead once its clock and ours agree', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: AT, aheadMs: 3_600_000 }));
    world.feed(observed({ readAt: AT + 1 }));
    assert.ok(!('forgeAheadMs' in world.state));
  });

  it('does not end it with a pull request that was closed before it was asked for', () => {
    const asked = (closedAt: number): World => {
      const world = new World();
      world.feed(observed({ readAt: AT, trigger: trigger(AT, { pull: 12 }) }));
      world.liveTurn({ done });
      world.feed(observed({ readAt: AT + 10, prs: [pr(12, { open: false, closedAt })] }));
      return world;
    };
    assert.equal(asked(AT - 1).phase, 'frozen');
    assert.equal(asked(AT).phase, 'frozen');
    assert.equal(asked(AT + 1).phase, 'destroying');
  });

  it('does not end it with a pull request that was never its own', () => {
    const world = new World();
    world.feed(observed({ readAt: AT, trigger: trigger(AT, { pull: 12 }) }));
    world.liveTurn({ done });
    world.feed(observed({ readAt: AT + 10, prs: [pr(12, { open: false, closedAt: AT - 1 })] }));
    world.feed(observed({ readAt: AT + 20, prs: [pr(99, { open: false, closedAt: AT + 15 })] }));
    assert.equal(world.phase, 'frozen');
  });

  describe('ends the run with its pull request although it was asked for again, both before one read', () => {
    const [CLOSED, ASKED] = [AT + 60_000, AT + 90_000];
    const closed = pr(13, { open: false, closedAt: CLOSED });
    const see = (world: World, asked: Partial<Trigger> = {}): World => {
      const next = trigger(ASKED, { actId: 9, ...asked });
      world.feed(observed({ readAt: AT + 120_000, trigger: next, prs: [closed] }));
      return world;
    };

    it('and the later act begins the next one', () => {
      const world = see(World.frozenDone());
      assert.deepEqual(world.life.closing, { at: CLOSED, why: 'PR #13 closed' });
      world.destroyed();
      assert.equal(world.state.endedAt, CLOSED);
      world.continueIntoNextLife();
      assert.deepEqual([world.phase, world.life.trigger.actId], ['queued', 9]);
    });

    it('and an act of the second of the close does so, too', () => {
      assert.equal(see(World.frozenDone(), { actAt: CLOSED }).state.pendingTrigger?.actId, 9);
    });

    it('and an act before the close was of the run that ends', () => {
      const world = see(World.frozenDone(), { actAt: CLOSED - 1_000 });
      assert.deepEqual([world.phase, world.state.pendingTrigger], ['destroying', null]);
    });

    it('and no turn of a run that waited to be asked for begins before that', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: AT, triggered: false }));
      see(world);
      assert.deepEqual([world.phase, world.state.pendingTrigger?.actId], ['destroying', 9]);
    });

    it('unless that was closed before the run itself was asked for', () => {
      const world = new World();
      world.feed(observed({ readAt: AT, trigger: trigger(CLOSED, { pull: 13 }) }));
      world.liveTurn({ done });
      see(world);
      assert.deepEqual([world.phase, world.life.trigger.actId], ['frozen', 9]);
    });

    it('and another agent has the issue that was asked for before the close', () => {
      const world = see(World.frozenDone(), { agent: 'other', actAt: CLOSED - 5_000 });
      assert.deepEqual([world.phase, world.state.pendingTrigger?.agent], ['destroying', 'other']);
    });
  });

  it('ends the run with its issue although that was reopened, and asked for again by that, before one read', () => {
    const reopened = (world: World, closedAt: number, asked: Trigger | null): World => {
      world.feed(observed({ readAt: AT + 120_000, closedAt, trigger: asked }));
      return world;
    };
    const rests = (): World => {
      const world = new World();
      world.feed(observed({ readAt: AT, trigger: trigger(AT) }));
      world.liveTurn({ done: { ...done, status: 'blocked' } });
      return world;
    };
    const again = trigger(AT + 90_000, { actId: 9 });
    const world = reopened(rests(), AT + 60_000, again);
    assert.deepEqual(world.life.closing, { at: AT + 60_000, why: 'issue closed' });
    assert.equal(world.state.pendingTrigger?.actId, 9);
    assert.equal(reopened(rests(), AT, again).phase, 'frozen', 'closed before the run was asked for');
    assert.equal(reopened(rests(), AT + 60_000, null).phase, 'frozen', 'nobody asks for another');
    const hasPull = World.frozenDone();
    assert.equal(reopened(hasPull, AT + 60_000, again).phase, 'frozen', 'its pull request is open');
  });

  it('ends the turn that runs, as one of a run that is to end', () => {
    const world = running();
    world.feed(observed({ readAt: AT, open: false, closedAt: AT }));
    assert.equal(world.turn.stop, 'closed');
  });

  it('changes nothing more of a run that is being destroyed', () => {
    const world = World.frozenDone();
    world.feed({ kind: 'lost', readAt: AT, why: 'gone' });
    assert.deepEqual(world.feed(observed({ readAt: AT + 1, triggered: false, open: false })), []);
    assert.equal(world.phase, 'destroying');
  });

  it('that nobody asks for it keeps no run from its turns which the operator started', () => {
    const world = World.local();
    const { subject } = world.state;
    world.feed(
      observed({
        readAt: AT,
        triggered: false,
        place: { repoId: 0, owner: subject.owner, repo: subject.repo },
      }),
    );
    world.liveTurn({ done });
    assert.equal(world.reason, 'done');
  });

  it('that nobody asks for it is what people read in its timeline alone', () => {
    const world = World.frozenDone();
    // Gitea unassigns a bot that it takes out of a private repository: when it is back, the old detail is true no longer.
    world.feed({ kind: 'unserved', why: 'hidden from the bot' });
    world.feed(observed({ readAt: AT, triggered: false }));
    assert.deepEqual([world.reason, world.life.detail], ['untriggered', null]);
    assert.equal(world.life.timeline.at(-1)?.what, 'unassigned or unlabelled');
  });

  it('ends the run of one agent just before another one was asked for, so that the act counts', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: AT, trigger: trigger(AT, { agent: 'other', actId: 9 }) }));
    assert.deepEqual(world.life.closing, { at: AT - 1, why: 'other was asked for instead' });
    world.destroyed();
    assert.equal(world.state.endedAt, AT - 1);
  });
});

describe('a trigger', () => {
  it('gives the run the name that its workflow was started with, where it is for that agent', () => {
    const slug = 'implementer-alice-demo-12-named';
    for (const [agent, isNamed] of [
      ['implementer', true],
      ['other', false],
    ] as const) {
      const world = new World();
      world.state = initialState(SUBJECT, POLICY, { slug, agent });
      world.feed(observed({ readAt: AT, trigger: trigger(5) }));
      assert.equal(world.life.slug === slug, isNamed);
      assert.equal(world.state.named, null, 'and no other life');
    }
  });

  it('of the same agent is known from then on: the same act begins nothing again', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: AT, triggered: false }));
    world.feed(observed({ readAt: AT + 2_000, trigger: trigger(AT + 1_000, { actId: 7 }) }));
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(world.state.lastTrigger, { actAt: AT + 1_000, actId: 7 });
    world.liveTurn({ done });
    world.feed(observed({ readAt: AT + 3_000, triggered: false }));
    world.feed(observed({ readAt: AT + 4_000, trigger: trigger(AT + 1_000, { actId: 7 }) }));
    assert.equal(world.phase, 'frozen');
  });

  it('of the same agent begins no turn of a run that rests for something else', () => {
    const world = World.frozenDone();
    assert.deepEqual(world.feed(observed({ readAt: AT, trigger: trigger(AT) })), []);
    assert.deepEqual([world.phase, world.reason, world.life.trigger.actAt], ['frozen', 'done', AT]);
  });

  it('of another agent confirms no turn that is being prepared', () => {
    const world = World.triggered();
    world.feed(observed({ readAt: 20, trigger: trigger(5, { agent: 'other' }) }));
    const { stage } = world.life;
    assert.ok(stage.kind === 'preparing' && !stage.confirmed);
  });

  it('begins another life unless it was surely before the end of the last, by the forge’s clock of whole seconds', () => {
    const begins = (actAt: number): boolean => {
      const world = World.frozenDone();
      world.feed({ kind: 'lost', readAt: AT, why: 'gone' });
      world.destroyed();
      world.feed(observed({ readAt: AT + 5_000, trigger: trigger(actAt) }));
      return world.state.pendingTrigger !== null;
    };
    assert.deepEqual([begins(AT - 999), begins(AT - 998)], [false, true]);
  });
});

describe('a turn that the forge does not let begin', () => {
  const refuse = (world: World): void => {
    world.prepareEnds({ kind: 'refused', reason: 'the label is gone' });
  };

  it('leaves a run that has had turns to wait for its trigger, with what woke it', () => {
    const world = World.woken();
    refuse(world);
    assert.deepEqual([world.reason, world.life.detail], ['untriggered', 'the label is gone']);
    assert.deepEqual([world.life.withheld, world.life.mailbox.waiting], ['untriggered', [comment(1)]]);
  });

  it('ends a run that is to end', () => {
    const world = World.woken();
    world.feed({ kind: 'lost', readAt: AT, why: 'gone' });
    refuse(world);
    assert.equal(world.phase, 'destroying');
  });

  it('ends a run that has had none, at its trigger', () => {
    const world = World.triggered();
    refuse(world);
    assert.deepEqual([world.phase, world.state.endedAt], ['destroyed', 5]);
  });

  it('is not prepared elsewhere when the operator has frozen it meanwhile', () => {
    const world = World.woken();
    world.command({ kind: 'freeze' });
    world.prepareEnds({ kind: 'moved', place: { ...PLACE, repo: 'renamed' } });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });
});
