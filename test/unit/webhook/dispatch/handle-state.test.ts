import assert from 'node:assert/strict';
import type { Hint } from '../../../../src/webhook/events/hint.js';
import { ALICE, BOT } from '../../../support/webhook/fake-forge.js';
import { aHint, aPullHint } from '../../../support/webhook/hints.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { ID, PLACE, SegmentWorld } from '../../../support/webhook/segment-world.js';

const ACT_AT = 1_700_000_000_000;

describe('a subject that changed', () => {
  let world: SegmentWorld;
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    world = new SegmentWorld();
    world.forge.trigger(12, ACT_AT);
  });
  const resultOf = async (...hints: readonly Hint[]) => {
    const handled = await world.handle(...hints);
    return handled.kind === 'done' ? handled : assert.fail('held back');
  };

  it('with a new trigger starts a run, and says by whom, for whom and since when', async () => {
    assert.deepEqual(await resultOf(aHint()), {
      kind: 'done',
      results: [{ outcome: 'started', detail: 'trigger by alice for coder, act 2' }],
      startedBy: ACT_AT,
    });
    assert.deepEqual(world.told, [[ID, 'observed', true]]);
    assert.deepEqual(world.lastSeen.place, PLACE);
    await settled();
    assert.deepEqual(world.forge.reactions, [[12, 'eyes']]);
  });

  it('is read once for several deliveries', async () => {
    assert.deepEqual(await world.outcomes(aHint(), aHint(), aHint()), ['started', 'covered', 'covered']);
    assert.equal(world.forge.calls.filter((call) => call === 'issue 12').length, 1);
  });

  it('is not read again for what came before the last read of it, and is for what came in the same moment', async () => {
    await world.handle(aHint());
    world.forge.calls.length = 0;
    const before = await world.receivedAt(world.now - 1, aHint(), aHint());
    assert.deepEqual(before, {
      kind: 'done',
      results: Array(2).fill({ outcome: 'covered', detail: '' }),
    });
    assert.equal(world.forge.calls.length, 0);
    await world.receivedAt(world.now, aHint());
    assert.ok(world.forge.calls.includes('issue 12'));
  });

  it('is read again when the clock was set back since', async () => {
    await world.handle(aHint());
    world.forge.calls.length = 0;
    world.now -= 3_600_000;
    await world.receivedAt(world.now, aHint());
    assert.ok(world.forge.calls.includes('issue 12'));
  });

  it('is told as read later, too, when the clock was set back since, or the run would ignore it', async () => {
    const first = world.now;
    await world.handle(aHint());
    world.now -= 60_000;
    world.forge.putIssue(12, { state: 'closed' });
    await world.handle(aHint());
    assert.deepEqual([world.lastSeen.open, world.lastSeen.readAt], [false, first]);
    world.now = first + 1;
    await world.handle(aHint());
    assert.equal(world.lastSeen.readAt, first + 1);
  });

  it('is told with what the forge’s clock is ahead, which alone is no news', async () => {
    await world.handle(aHint());
    assert.ok(!('aheadMs' in world.lastSeen));
    world.forge.aheadMs = -3_600_000;
    assert.equal(await world.outcome(aHint()), 'covered');
    world.now += 5_000;
    await world.handle(aHint());
    assert.equal(world.lastSeen.aheadMs, -3_600_000);
  });

  it('is read for the latest of what came, whichever came last in the row', async () => {
    await world.handle(aHint());
    world.forge.calls.length = 0;
    await world.handleReceived([world.now + 1, world.now - 1]);
    assert.ok(world.forge.calls.includes('issue 12'));
  });

  describe('that is found unchanged', () => {
    it('is told again after five seconds, and not before', async () => {
      await world.handle(aHint());
      world.now += 4_999;
      assert.equal(await world.outcome(aHint()), 'covered');
      world.now += 1;
      assert.equal(await world.outcome(aHint()), 'started');
    });

    it('is told again after ten minutes where nobody but ourselves found it', async () => {
      await world.handle(aHint());
      const found = aHint({ sender: null });
      world.now += 599_999;
      assert.equal(await world.outcome(found), 'covered');
      world.now += 1;
      assert.equal(await world.outcome(found), 'started');
    });

    it('is told as soon as the forge has told of it, too', async () => {
      await world.handle(aHint());
      world.now += 5_000;
      assert.deepEqual(await world.outcomes(aHint({ sender: null }), aHint()), ['started', 'covered']);
    });

    it('is told at once when it has changed meanwhile', async () => {
      await world.handle(aHint());
      world.now += 2_000;
      world.forge.putIssue(12, { state: 'closed' });
      assert.equal(await world.outcome(aHint()), 'signalled');
      assert.equal(world.lastSeen.open, false);
    });

    it('is told at once when there was nobody to be told of it before', async () => {
      world.row = stateRow({ status: 'frozen' });
      world.begunBy = { actAt: ACT_AT, actId: 2 };
      assert.equal(await world.outcome(aHint()), 'no_run');
      world.gateway.running.add(ID);
      world.now += 1;
      assert.equal(await world.outcome(aHint()), 'signalled');
    });
  });

  describe('through the bot alone', () => {
    const byBot = aHint({ sender: BOT });
    beforeEach(() => {
      world.row = stateRow({ status: 'frozen' });
      world.begunBy = { actAt: ACT_AT, actId: 2 };
      world.gateway.running.add(ID);
    });

    it('is nothing new', async () => {
      assert.deepEqual(await world.outcomes(byBot, byBot), ['own', 'own']);
      assert.deepEqual(world.told, []);
    });

    it('is told with what anybody else did', async () => {
      assert.deepEqual(await world.outcomes(byBot, aHint()), ['signalled', 'covered']);
    });

    const news: [what: string, arrange: (it: SegmentWorld) => unknown][] = [
      ['closed', ({ forge }) => forge.putIssue(12, { state: 'closed' })],
      ['without its label', ({ forge }) => forge.putIssue(12, { labels: [] })],
      [
        'with a closed pull request',
        (it) => {
          it.row = stateRow({ status: 'frozen', prNumber: 31 });
          it.forge.putPull(31, { state: 'closed' });
        },
      ],
    ];
    for (const [what, arrange] of news) {
      it(`is told when it is ${what}`, async () => {
        arrange(world);
        assert.equal(await world.outcome(byBot), 'signalled');
      });
    }
  });

  describe('after a run', () => {
    beforeEach(() => {
      world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT + 10_000 });
      world.begunBy = { actAt: ACT_AT, actId: 2 };
    });

    it('begins none for the act that began that run', async () => {
      world.begunBy = { actAt: ACT_AT, actId: 2 };
      world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT - 1 });
      assert.equal(await world.outcome(aHint()), 'no_run');
    });

    const later: [what: string, afterMs: number, outcome: string][] = [
      ['more than a second before its end', 9_000, 'no_run'],
      ['that was before its end at the latest', 9_001, 'no_run'],
      ['that may have been after its end, as the forge counts', 9_002, 'started'],
      ['after its end', 11_000, 'started'],
    ];
    for (const [what, afterMs, outcome] of later) {
      it(`comes to ${outcome} for an act ${what}`, async () => {
        world.forge.act(12, 'reopened', '', ACT_AT + afterMs);
        assert.equal(await world.outcome(aHint()), outcome);
      });
    }

    it('goes by the time of the end alone where the act that began it is not known', async () => {
      world.begunBy = undefined;
      world.forge.act(12, 'reopened', '', ACT_AT + 10_000);
      assert.equal(await world.outcome(aHint()), 'no_run');
      world.now += 60_000;
      world.forge.act(12, 'reopened', '', ACT_AT + 10_001);
      assert.equal(await world.outcome(aHint()), 'started');
    });

    it('goes by when its row was written last where its end is not known', async () => {
      world.row = stateRow({ status: 'destroyed', destroyedAt: null, updatedAt: ACT_AT + 10_000 });
      world.forge.act(12, 'reopened', '', ACT_AT + 5_000);
      assert.equal(await world.outcome(aHint()), 'no_run');
    });

    it('that goes on is told of an act later than the one that began it', async () => {
      world.row = stateRow({ status: 'frozen', updatedAt: ACT_AT + 60_000 });
      world.gateway.running.add(ID);
      world.forge.act(12, 'reopened', '', ACT_AT + 5_000);
      assert.equal(await world.outcome(aHint()), 'started');
      assert.equal(world.lastSeen.trigger?.actAt, ACT_AT + 5_000);
    });
  });

  describe('whose trigger is refused', () => {
    it('is told, with the reason, dated by the act, and one confused face', async () => {
      world.forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1_000, BOT);
      const { results } = await resultOf(aHint());
      assert.equal(results[0]?.outcome, 'no_run');
      assert.match(results[0].detail, /^refused: bot may not start itself/);
      await settled();
      assert.deepEqual(
        world.rejected.map(({ at }) => at),
        [ACT_AT + 1_000],
      );
      assert.deepEqual(world.forge.reactions, [[12, 'confused']]);
    });

    it('is told also when the bot itself is who is heard of', async () => {
      world.row = stateRow({ status: 'frozen' });
      world.gateway.running.add(ID);
      world.forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1_000, BOT);
      assert.equal(await world.outcome(aHint({ sender: BOT })), 'signalled');
      assert.equal(world.rejected.length, 1);
    });

    it('because its words were changed begins nothing, and the workflow hears of no trigger', async () => {
      world.gateway.running.add(ID);
      world.forge.act(12, 'edited', 'title', ACT_AT + 1_000, { id: 66, login: 'mallory' });
      const { results } = await resultOf(aHint());
      assert.equal(results[0]?.outcome, 'signalled');
      assert.match(results[0].detail, /^refused: after alice had asked .* changed the title/);
      assert.deepEqual([world.lastSeen.trigger, world.lastSeen.triggered], [null, true]);
      assert.deepEqual(
        world.rejected.map(({ at }) => at),
        [ACT_AT],
      );
    });

    it('is no news to a run that goes by this trigger already: its words may change', async () => {
      world.row = stateRow({ status: 'frozen' });
      world.begunBy = { actAt: ACT_AT, actId: 2 };
      world.gateway.running.add(ID);
      world.forge.act(12, 'edited', 'title', ACT_AT + 1_000, { id: 66, login: 'mallory' });
      assert.equal(await world.outcome(aHint()), 'signalled');
      assert.equal(world.lastSeen.trigger?.actAt, ACT_AT);
      assert.deepEqual(world.rejected, []);
    });
  });

  describe('under a name that a run of another repository has', () => {
    it('starts nothing, tells that run nothing, and says which is to be closed first', async () => {
      world.holder = stateRow({ status: 'frozen', owner: 'carol', repo: 'old', repoId: 6 });
      world.gateway.running.add(ID);
      const { results } = await resultOf(aHint());
      assert.equal(results[0]?.outcome, 'no_run');
      assert.match(results[0].detail, /a run of carol\/old, which had this name before, goes on: close that/);
      assert.deepEqual(world.told, []);
      assert.deepEqual(world.rejected[0]?.at, ACT_AT);
    });

    for (const [what, repoId] of [
      ['the same repository', 7],
      ['a repository that is not known', null],
    ] as const) {
      it(`starts where it is one of ${what}`, async () => {
        world.holder = stateRow({ status: 'frozen', repoId });
        assert.equal(await world.outcome(aHint()), 'started');
      });
    }
  });

  it('about a pull request of the run is remembered apart from the issue', async () => {
    world.row = stateRow({ status: 'frozen', prNumber: 31 });
    world.begunBy = { actAt: ACT_AT, actId: 2 };
    world.gateway.running.add(ID);
    world.forge.putPull(31);
    assert.equal(await world.outcome(aHint()), 'signalled');
    assert.equal(await world.outcome(aPullHint()), 'signalled');
    assert.equal(await world.outcome(aPullHint({ sender: ALICE })), 'covered');
  });
});
