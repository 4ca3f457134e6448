import assert from 'node:assert/strict';
import { running, starting } from '../../../support/machine/stages.js';
import {
  comment,
  done,
  ids,
  kinds,
  observed,
  PREPARED,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

describe('issue machine', () => {
  describe('a life from trigger to destroyed', () => {
    it('claims a host and prepares the first turn when triggered', () => {
      const world = new World();
      assert.deepEqual(kinds(world.feed(observed({ readAt: 10, trigger: trigger(5) }))), [
        'claim_host',
        'prepare_turn',
      ]);
      assert.equal(world.phase, 'queued');
      assert.match(world.life.slug, /^implementer-alice-demo-12-[a-z0-9]{5}$/);
    });

    it('stays idle when the condition holds but nobody who may completed it, or the issue is gone', () => {
      const world = new World();
      assert.deepEqual(world.feed(observed({ readAt: 10 })), []);
      assert.deepEqual(world.feed({ kind: 'lost', readAt: 20, why: 'gone' }), []);
      assert.equal(world.phase, 'idle');
    });

    it('launches once when host and prompt are there, in either order', () => {
      const world = World.triggered();
      world.prepareEnds({ kind: 'ready', prepared: PREPARED });
      assert.equal(world.phase, 'queued');
      assert.deepEqual(kinds(world.claimed()), ['run_turn']);
      assert.equal(world.phase, 'launching');
    });

    it('freezes as failed when no host can be claimed, once nothing is under way, and claims again for the next turn', () => {
      const world = World.triggered();
      assert.deepEqual(world.fail('claim', 'none'), []);
      assert.equal(world.phase, 'queued');
      world.prepareEnds({ kind: 'ready', prepared: PREPARED });
      assert.deepEqual([world.phase, world.reason, world.life.detail], ['frozen', 'failed', 'none']);
      const resumed = world.command({ kind: 'resume', promptRef: null });
      assert.deepEqual(kinds(resumed), ['claim_host', 'prepare_turn']);
    });

    it('freezes after signal_done with the PR known', () => {
      const world = World.frozenDone();
      assert.equal(world.phase, 'frozen');
      assert.equal(world.reason, 'done');
      assert.deepEqual(
        world.life.prs.map((pr) => pr.number),
        [13],
      );
      assert.ok(!world.owed.has('watchdog'));
    });

    it('rehydrates the same session for a comment', () => {
      const world = World.frozenDone();
      assert.deepEqual(kinds(world.feed(wrote(comment(1)))), ['prepare_turn']);
      assert.equal(world.phase, 'rehydrating');
      world.start();
      assert.equal(world.turn.number, 2);
      assert.equal(world.life.session.id, 's');
    });

    it('destroys when its PR is merged, and ends there', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: true, closedAt: 19 }] }));
      assert.equal(world.phase, 'destroying');
      world.destroyed();
      assert.equal(world.phase, 'destroyed');
      assert.equal(world.state.endedAt, 19);
      assert.deepEqual(world.feed(wrote(comment(2))), []);
    });
  });

  describe('a turn that goes wrong', () => {
    it('is stopped by the watchdog after silence, once, and flagged', () => {
      const world = running();
      world.pay('watchdog');
      assert.deepEqual(kinds(world.feed({ kind: 'watchdog_fired', turn: 1 })), ['ask_checkin']);
      world.checkins.length = 0;
      assert.deepEqual(kinds(world.feed({ kind: 'checkin_age', turn: 1, ageMs: 1_800_000 })), [
        'disarm_watchdog',
        'stop_turn',
      ]);
      assert.deepEqual(world.feed({ kind: 'checkin_age', turn: 1, ageMs: 1_800_000 }), []);
      world.endTurn({ exitCode: 143 });
      assert.equal(world.reason, 'watchdog');
      assert.ok(world.turn.watchdogFired);
    });

    it('sleeps the remainder when the agent checked in meanwhile', () => {
      const world = running();
      world.feed({ kind: 'watchdog_fired', turn: 1 });
      const [rearmed] = world.feed({ kind: 'checkin_age', turn: 1, ageMs: 600_000 });
      assert.deepEqual(rearmed, { kind: 'arm_watchdog', turn: 1, ms: 1_200_000 });
    });

    it('has the patience of its agent’s manifest where that is less than the operator’s', () => {
      for (const [own, patience] of [
        [600_000, 600_000],
        [7_200_000, 1_800_000],
      ] as const) {
        const world = World.triggered();
        world.start({ watchdogMs: own });
        const armed = { kind: 'arm_watchdog', turn: 1, ms: patience };
        assert.deepEqual(world.owed.get('watchdog'), armed);
        world.pay('watchdog');
        world.feed({ kind: 'watchdog_fired', turn: 1 });
        world.checkins.length = 0;
        const [rearmed] = world.feed({ kind: 'checkin_age', turn: 1, ageMs: 100_000 });
        assert.deepEqual(rearmed, { ...armed, ms: patience - 100_000 });
        world.pay('watchdog');
        world.feed({ kind: 'watchdog_fired', turn: 1 });
        world.checkins.length = 0;
        world.feed({ kind: 'checkin_age', turn: 1, ageMs: patience });
        assert.equal(world.turn.stop, 'watchdog');
      }
    });

    it('is attached to again when its worker is lost, and told to stop if that was asked meanwhile', () => {
      const world = running();
      world.command({ kind: 'freeze' });
      world.pay('run');
      const [attach] = world.feed({ kind: 'turn_lost', turn: 1, reason: null });
      assert.ok(attach?.kind === 'attach_turn');
      assert.deepEqual([attach.input.turn, attach.input.stop, attach.input.begun], [1, 'operator', true]);
    });

    it('says what it waits for while it cannot begin, and no more when it has begun', () => {
      const world = starting();
      const slug = world.life.slug;
      world.feed({ kind: 'turn_held_up', slug, turn: 1, reason: 'no engine answers' });
      assert.deepEqual([world.phase, world.life.detail], ['launching', 'no engine answers']);
      world.started();
      assert.deepEqual([world.phase, world.life.detail], ['running', null]);
      world.feed({ kind: 'turn_held_up', slug, turn: 1, reason: 'told late' });
      assert.equal(world.life.detail, null);
    });

    it('is not begun once more when it was lost after its agent had started', () => {
      for (const begun of [false, true]) {
        const world = starting();
        if (begun) world.started();
        world.pay('run');
        const [attach] = world.feed({ kind: 'turn_lost', turn: 1, reason: 'no engine answers' });
        assert.ok(attach?.kind === 'attach_turn');
        assert.deepEqual([attach.input.turn, attach.input.stop, attach.input.begun], [1, null, begun]);
      }
    });

    it('begins again with the same prompt when it was stopped before its agent started, for what is no longer so', () => {
      const stops = {
        history: (world: World) => world.feed({ kind: 'history_full' }),
        untriggered: (world: World) => {
          world.feed(observed({ readAt: 20, triggered: false }));
          return world.feed(observed({ readAt: 30, trigger: trigger(25) }));
        },
      };
      for (const [name, stop] of Object.entries(stops)) {
        const world = running();
        world.endTurn({ done });
        world.feed(wrote(comment(7)));
        world.prepare();
        stop(world);
        world.fail('run', 'stopped before it began');
        const { turn, cause, references } = world.preparing;
        assert.deepEqual([turn, cause.kind, references], [3, 'wake', [comment(7)]], name);
      }
    });

    it('keeps a signal_done that was queued before the sidecar died', () => {
      const world = running();
      world.endTurn({ done, stopped: 'sidecar_died', exitCode: 143 });
      assert.equal(world.reason, 'done');
    });

    it('says what limit it ran into, to people and in the next prompt, once', () => {
      const limit = { kind: 'disk', detail: 'the run held 2 GiB on disk, and may hold 1 GiB' } as const;
      const world = running();
      world.endTurn({ stopped: 'disk', limit, exitCode: 137 });
      assert.deepEqual([world.life.detail, world.life.limit], [limit.detail, limit]);
      world.feed(wrote(comment(1)));
      assert.deepEqual([world.life.detail, world.life.limit], [null, limit]);
      world.liveTurn({ done });
      assert.equal(world.life.limit, null);
    });

    it('freezes as stuck when STUCK.md is left, whatever the agent says', () => {
      const world = running();
      world.endTurn({ done }, { stuck: true, stuckHash: 'x' });
      assert.equal(world.reason, 'stuck');
    });
  });

  describe('events in the wrong place', () => {
    it('batches what happens during a turn into the next prompt, in order', () => {
      const world = running();
      for (const id of [1, 2, 1, 3]) world.feed(wrote(comment(id)));
      world.endTurn({ done });
      assert.deepEqual(ids(world.turn.taken), [1, 2, 3]);
      assert.equal(world.phase, 'rehydrating');
    });

    it('takes done and the turn’s result in either order', () => {
      const world = running();
      const slug = world.life.slug;
      world.feed({ kind: 'signal_done', slug, turn: 1, done });
      assert.equal(world.phase, 'freezing');
      world.endTurn({ done });
      assert.deepEqual(world.feed({ kind: 'signal_done', slug, turn: 1, done }), []);
      assert.equal(world.reason, 'done');
    });

    it('ignores a read of the forge that is older than one it knows', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: 30 }));
      world.feed(observed({ readAt: 20, triggered: false, open: false, closedAt: 15 }));
      assert.equal(world.phase, 'frozen');
      assert.equal(world.reason, 'done');
    });

    it('goes on when the issue is closed while a PR of the run is open', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: 20, open: false, closedAt: 19 }));
      assert.equal(world.phase, 'frozen');
    });

    it('freezes when unassigned, queues comments, and wakes only for a new trigger act', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: 20, triggered: false }));
      assert.equal(world.reason, 'untriggered');
      assert.deepEqual(world.feed(wrote(comment(1))), []);
      world.feed(observed({ readAt: 30, trigger: trigger(5) }));
      assert.equal(world.phase, 'frozen');
      world.feed(observed({ readAt: 40, trigger: trigger(35) }));
      assert.equal(world.phase, 'rehydrating');
      assert.deepEqual(ids(world.turn.taken), [1]);
    });

    it('begins a fresh life for a trigger that came while destroying', () => {
      const world = World.frozenDone();
      const slug = world.state.life?.slug;
      world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: false, closedAt: 19 }] }));
      world.feed(observed({ readAt: 30, trigger: trigger(25) }));
      world.destroyed();
      assert.equal(world.phase, 'destroyed');
      world.continueIntoNextLife();
      assert.equal(world.phase, 'queued');
      assert.notEqual(world.state.life?.slug, slug);
    });

    it('stays destroyed while the condition merely still holds', () => {
      const world = World.frozenDone();
      world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: false, closedAt: 19 }] }));
      world.destroyed();
      for (let readAt = 30; readAt < 130; readAt += 1)
        assert.deepEqual(world.feed(observed({ readAt, trigger: trigger(5) })), []);
      assert.equal(world.phase, 'destroyed');
    });
  });

  it('does not begin a turn that was being prepared when the operator destroyed the run', () => {
    const world = World.woken();
    world.command({ kind: 'destroy' });
    assert.equal(world.phase, 'rehydrating');
    world.prepare();
    assert.equal(world.phase, 'destroying');
  });
});
