import assert from 'node:assert/strict';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { running, starting } from '../../../support/machine/stages.js';
import {
  comment,
  done,
  ids,
  kinds,
  observed,
  PREPARED,
  SUBJECT,
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

    it('stays idle when the condition holds but nobody who may completed it', () => {
      const world = new World();
      assert.deepEqual(world.feed(observed({ readAt: 10 })), []);
      assert.equal(world.phase, 'idle');
    });

    it('launches once when host and prompt are there, in either order', () => {
      const world = World.triggered();
      world.pay('prepare');
      world.feed({ kind: 'prepared', turn: 1, prepared: { ...PREPARED } });
      assert.equal(world.phase, 'queued');
      world.pay('claim');
      assert.deepEqual(kinds(world.feed({ kind: 'host_claimed', host: 'h1' })), ['run_turn']);
      assert.equal(world.phase, 'launching');
    });

    it('freezes as failed when no host can be claimed, once nothing is under way, and claims again for the next turn', () => {
      const world = World.triggered();
      world.pay('claim');
      assert.deepEqual(
        kinds(world.feed({ kind: 'step_failed', step: 'claim', turn: 1, reason: 'none' })),
        [],
      );
      assert.equal(world.phase, 'queued');
      world.pay('prepare');
      world.feed({ kind: 'prepared', turn: 1, prepared: { ...PREPARED } });
      assert.deepEqual([world.phase, world.reason, world.life.detail], ['frozen', 'failed', 'none']);
      const resumed = world.command({ kind: 'resume', promptRef: null });
      assert.deepEqual(kinds(resumed), ['claim_host', 'prepare_turn']);
    });

    it('is running, with the watchdog armed, only when the turn has started', () => {
      const world = running();
      assert.equal(world.phase, 'running');
      assert.ok(world.owed.has('watchdog'));
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
    it('is nudged once after a clean exit without signal_done, then frozen as incomplete', () => {
      const world = running();
      world.endTurn();
      assert.deepEqual(world.turn.cause, { kind: 'nudge', why: 'not_done' });
      world.liveTurn();
      assert.equal(world.reason, 'incomplete');
      assert.equal(world.phase, 'frozen');
    });

    it('is never retried after an error exit', () => {
      const world = running();
      world.endTurn({ exitCode: 1 });
      assert.equal(world.phase, 'frozen');
      assert.equal(world.reason, 'incomplete');
    });

    it('is nudged once with the uncommitted paths, and with the gate’s refusal', () => {
      const uncommitted = running();
      uncommitted.endTurn({ done }, { uncommitted: 1, uncommittedRef: 'u' });
      assert.deepEqual(uncommitted.turn.cause, { kind: 'nudge', why: 'uncommitted', pathsRef: 'u' });
      const refused = running();
      refused.endTurn({ done }, { publish: { kind: 'refused', reason: 'CI file' } });
      assert.deepEqual(refused.turn.cause, { kind: 'nudge', why: 'refused', reason: 'CI file' });
    });

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

    it('counts a host that cannot be asked as silent', () => {
      const world = running();
      world.feed({ kind: 'watchdog_fired', turn: 1 });
      world.feed({ kind: 'checkin_age', turn: 1, ageMs: null });
      assert.equal(world.turn.stop, 'watchdog');
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
        const asked = world.owed.get('prepare');
        assert.ok(asked?.kind === 'prepare_turn', name);
        assert.deepEqual([asked.input.turn, asked.input.cause.kind], [3, 'wake']);
        assert.deepEqual(asked.input.references, [comment(7)], name);
      }
    });

    it('keeps a signal_done that was queued before the sidecar died', () => {
      const world = running();
      world.endTurn({ done, stopped: 'sidecar_died', exitCode: 143 });
      assert.equal(world.reason, 'done');
    });

    for (const reason of ['timeout', 'sidecar_died', 'queue_flood', 'disk'] as const) {
      it(`freezes with reason ${reason}`, () => {
        const world = running();
        world.endTurn({ stopped: reason, exitCode: 143 });
        assert.equal(world.reason, reason);
        assert.equal(world.phase, 'frozen');
      });
    }

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

    it('counts as incomplete when it ran out of memory, and says so', () => {
      const world = running();
      world.endTurn({ limit: { kind: 'memory', detail: 'out of memory' }, exitCode: 137 });
      assert.deepEqual([world.reason, world.life.detail], ['incomplete', 'out of memory']);
    });

    it('freezes as stuck when STUCK.md is left, whatever the agent says', () => {
      const world = running();
      world.endTurn({ done }, { stuck: true, stuckHash: 'x' });
      assert.equal(world.reason, 'stuck');
    });

    it('gives its comments back when it could not be run', () => {
      const world = World.woken();
      world.fail('prepare', 'forge says 401');
      assert.equal(world.reason, 'failed');
      assert.equal(world.life.detail, 'forge says 401');
      assert.deepEqual(ids(world.life.mailbox.waiting), [1]);
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

    it('destroys after the turn when the issue is closed while it runs', () => {
      const world = running();
      assert.ok(kinds(world.feed(observed({ readAt: 20, open: false, closedAt: 19 }))).includes('stop_turn'));
      world.endTurn({ exitCode: 143 });
      assert.equal(world.phase, 'destroying');
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

    it('pauses after ten wakes within an hour', () => {
      const world = World.frozenDone();
      for (let id = 1; id <= 10; id += 1) {
        world.feed(wrote(comment(id)));
        world.liveTurn({ done });
      }
      world.feed(wrote(comment(11)));
      assert.equal(world.reason, 'paused');
      assert.equal(world.life.mailbox.waiting.length, 1);
    });
  });

  describe('operator commands', () => {
    it('are refused with the reason when they cannot apply', () => {
      const idle = new World();
      assert.match(refusalOf(idle.state, { kind: 'freeze' }) ?? '', /no run/);
      const frozen = World.frozenDone();
      assert.match(refusalOf(frozen.state, { kind: 'extend', ms: 1 }) ?? '', /no turn is running/);
      assert.equal(refusalOf(frozen.state, { kind: 'resume', promptRef: null }), null);
      frozen.command({ kind: 'resume', promptRef: 'p' });
      assert.match(refusalOf(frozen.state, { kind: 'resume', promptRef: null }) ?? '', /under way/);
      frozen.start();
      assert.match(refusalOf(frozen.state, { kind: 'extend', ms: -1 }) ?? '', /24 h/);
    });

    it('resume wakes a paused run with the operator’s prompt', () => {
      const world = World.frozenDone();
      world.command({ kind: 'freeze' });
      assert.equal(world.reason, 'paused');
      assert.deepEqual(world.feed(wrote(comment(1))), []);
      world.command({ kind: 'resume', promptRef: 'p' });
      assert.deepEqual(world.turn.cause, { kind: 'operator', promptRef: 'p' });
    });

    it('destroy ends a run in any phase, a running one after its turn', () => {
      const world = World.woken();
      world.command({ kind: 'destroy' });
      assert.equal(world.phase, 'rehydrating');
      world.prepare();
      world.destroyed();
      assert.equal(world.phase, 'destroyed');
    });

    it('extend gives a running turn more patience', () => {
      const world = running();
      world.command({ kind: 'extend', ms: 600_000 });
      const [rearmed] = world.feed({ kind: 'checkin_age', turn: 1, ageMs: 1_800_000 });
      assert.deepEqual(rearmed, { kind: 'arm_watchdog', turn: 1, ms: 600_000 });
    });
  });

  it('names its slug from nothing but the subject', () => {
    const world = World.triggered();
    assert.ok(world.state.life?.slug.includes(`-${String(SUBJECT.number)}-`));
  });
});
