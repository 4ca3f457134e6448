import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { Hint } from '../../../../src/webhook/events/hint.js';
import { ALICE, BOT, user } from '../../../support/webhook/fake-forge.js';
import { aHint, aPullHint } from '../../../support/webhook/hints.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { ID, PLACE, SegmentWorld } from '../../../support/webhook/segment-world.js';

const ACT_AT = 1_700_000_000_000;
const MALLORY = user('mallory', 66);
const said = (commentId: number, changes: Partial<Hint> = {}): Hint =>
  aHint({ cause: { kind: 'comment', commentId }, ...changes });
const checks = (number: number, sha = 'c0ffee'): Hint => {
  const hint = aHint({ cause: { kind: 'checks', sha }, sender: null });
  return { ...hint, subject: { ...hint.subject, number } };
};

describe('deliveries of one subject', () => {
  let world: SegmentWorld;

  beforeEach(() => {
    world = new SegmentWorld();
    world.gateway.running.add(ID);
    world.forge.putComment(77, ALICE, 'x');
  });

  it('that make no sense are done with, and nobody is asked', async () => {
    assert.deepEqual(await world.malformed(), {
      kind: 'done',
      results: [{ outcome: 'malformed', detail: '' }],
    });
    assert.deepEqual([world.asked, world.lookedFor], [[], []]);
  });

  it('are one signal, with a result for each, in order', async () => {
    world.row = stateRow({ status: 'frozen' });
    world.forge.putComment(78, MALLORY, 'x');
    world.forge.putComment(79, ALICE, 'x');
    const handled = await world.handle(said(77), said(78), said(404), said(79));
    const results = handled.kind === 'done' ? handled.results : assert.fail('held back');
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['signalled', 'not_allowed', 'signalled', 'signalled'],
    );
    assert.match(results[0]?.detail ?? '', /^comment:77:[0-9a-f]+$/);
    assert.deepEqual([results[1]?.detail, results[2]?.detail], ['', 'withdrawn comment 404']);
    const [{ event } = assert.fail(), ...more] = world.gateway.sent;
    assert.deepEqual(more, []);
    assert.ok(event.kind === 'references');
    assert.deepEqual(
      event.references.map(({ id }) => id),
      [77, 79],
    );
    assert.deepEqual([event.withdrawn, event.place], [[404], PLACE]);
  });

  it('tell the workflow nothing when nothing of them counts', async () => {
    world.row = stateRow({ status: 'frozen' });
    world.forge.putComment(77, MALLORY, 'x');
    assert.equal(await world.outcome(said(77, { sender: MALLORY })), 'not_allowed');
    assert.deepEqual(world.told, []);
  });

  it('are late when no workflow runs any more', async () => {
    world.row = stateRow({ status: 'frozen' });
    world.gateway.running.clear();
    assert.deepEqual(await world.outcomes(said(77), said(404)), ['no_run', 'no_run']);
  });

  describe('of a run at work', () => {
    beforeEach(() => (world.row = stateRow({ status: 'running' })));

    it('are held back for two seconds after the last signal', async () => {
      assert.equal(await world.outcome(said(77)), 'signalled');
      const until = world.now + 2_000;
      world.now += 1_999;
      assert.deepEqual(await world.handle(said(77)), { kind: 'held', until });
      world.now += 1;
      assert.equal(await world.outcome(said(77)), 'signalled');
    });

    it('are not held back until a time that a clock set back since makes far', async () => {
      assert.equal(await world.outcome(said(77)), 'signalled');
      world.now -= 3_600_000;
      assert.equal(await world.outcome(said(77)), 'signalled');
    });

    it('are not held back after one that told it nothing', async () => {
      world.forge.putComment(78, MALLORY, 'x');
      assert.equal(await world.outcome(said(78)), 'not_allowed');
      assert.equal(await world.outcome(said(77)), 'signalled');
    });

    it('are not held back for another run', async () => {
      await world.outcome(said(77));
      world.row = stateRow({ issueNumber: 13 });
      world.gateway.running.add('gitea:alice/demo#13');
      assert.equal(await world.outcome(said(77)), 'signalled');
    });
  });

  it('are not held back while the run is frozen', async () => {
    world.row = stateRow({ status: 'frozen' });
    assert.deepEqual(
      [await world.outcome(said(77)), await world.outcome(said(77))],
      ['signalled', 'signalled'],
    );
  });

  describe('find the workflow', () => {
    const sentTo = async (hint: Hint = said(77)): Promise<readonly string[]> => {
      for (const id of ['gitea:carol/old#12', 'gitea:alice/demo#13']) world.gateway.running.add(id);
      await world.handle(hint);
      return world.gateway.sent.map(({ id }) => id);
    };

    it('of a run that goes on under the name it began with', async () => {
      world.row = stateRow({ status: 'frozen', workflowId: 'gitea:carol/old#12' });
      assert.deepEqual(await sentTo(), ['gitea:carol/old#12']);
    });

    it('of a run that has ended where its issue is now', async () => {
      world.row = stateRow({ status: 'destroyed', workflowId: 'gitea:carol/old#13', issueNumber: 13 });
      assert.deepEqual(await sentTo(), ['gitea:alice/demo#13']);
    });

    it('of a subject that no run is known of under its own name', async () => {
      assert.deepEqual(await sentTo(), [ID]);
    });
  });

  describe('about a pull request from a fork', () => {
    const cause = { kind: 'push' } as const;
    const from = (ownerId: number): Hint =>
      aPullHint({ cause, forkHead: { ref: 'bot-bottle/12-abc12', ownerId } });

    it('of the bot are about the branch in it, and from another about none', async () => {
      world.forge.putPull(31);
      await world.handle(from(BOT.id));
      await world.handle(from(MALLORY.id));
      assert.deepEqual(
        world.lookedFor.map(({ headRef }) => headRef),
        ['bot-bottle/12-abc12', null],
      );
    });

    it('are recognised wherever they stand among others', async () => {
      world.forge.putPull(31);
      await world.handle(aPullHint({ cause }), from(BOT.id));
      assert.equal(world.lookedFor.at(-1)?.headRef, 'bot-bottle/12-abc12');
    });
  });

  describe('about a commit', () => {
    beforeEach(() => {
      world.forge.statuses.set('c0ffee', [{ context: 'ci', state: 'failure', description: '', url: '' }]);
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
    });

    it('are about the pull request that has it for a head', async () => {
      world.forge.putPull(31);
      assert.equal(await world.outcome(checks(0)), 'signalled');
      const [asked] = world.lookedFor;
      assert.equal(world.lookedFor.length, 1);
      assert.deepEqual([asked?.subject.number, asked?.isPull, asked?.headRef], [31, true, 'feature']);
    });

    it('that no pull request has are nobody’s', async () => {
      assert.deepEqual(await world.outcomes(checks(0), checks(0)), ['no_run', 'no_run']);
      assert.deepEqual(world.lookedFor, []);
    });

    it('whose pull request is known are not looked for', async () => {
      world.forge.putPull(31);
      assert.equal(await world.outcome(checks(31)), 'signalled');
      assert.ok(!world.forge.calls.includes('commit'));
    });

    it('are nobody’s without a run, and nothing is read', async () => {
      world.row = undefined;
      assert.equal(await world.outcome(checks(31)), 'no_run');
      assert.deepEqual(world.forge.calls, []);
    });

    it('are looked at with what was written, without a run, too', async () => {
      world.row = undefined;
      assert.deepEqual(await world.outcomes(checks(12), said(77)), ['not_allowed', 'signalled']);
    });
  });

  describe('under a name that the repository had', () => {
    const NOW_AT = { repoId: 7, owner: 'dora', repo: 'elsewhere' };
    beforeEach(() => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      world.forge.putPull(31);
      world.forge.places.set(7, NOW_AT);
      world.forge.fault = (call) => {
        const isOfRepository = /^(comment|pull|reviews|commit|permission)/.test(call);
        if (isOfRepository && world.asked.at(-1) !== 'dora/elsewhere')
          throw new ForgeHttpError(301, 'GET', '/', 'moved');
      };
    });
    const heard = (): unknown => {
      const event = world.gateway.sent.at(-1)?.event;
      assert.ok(event?.kind === 'references');
      return [event.references.map(({ kind }) => kind), event.withdrawn, event.place];
    };

    it('are read under the one that it has now', async () => {
      const push = aPullHint({ cause: { kind: 'push' } });
      assert.deepEqual(await world.outcomes(said(77), push), ['signalled', 'signalled']);
      assert.deepEqual(heard(), [['comment', 'push'], [], NOW_AT]);
    });

    it('take back what is not there either', async () => {
      assert.equal(await world.outcome(said(404)), 'signalled');
      assert.deepEqual(heard(), [[], [404], NOW_AT]);
    });

    it('find the pull request of a commit', async () => {
      world.forge.statuses.set('c0ffee', [{ context: 'ci', state: 'failure', description: '', url: '' }]);
      assert.equal(await world.outcome(checks(0)), 'signalled');
      assert.deepEqual(heard(), [['checks'], [], NOW_AT]);
    });

    for (const [what, arrange] of [
      ['out of sight', (it: SegmentWorld) => it.forge.places.clear()],
      ['not served', (it: SegmentWorld) => (it.serves = ({ owner }) => owner === 'alice')],
    ] as const) {
      it(`take nothing back where it is ${what} now`, async () => {
        arrange(world);
        assert.equal(await world.outcome(said(77)), 'gone');
        assert.equal(await world.outcome(checks(0)), 'no_run');
        assert.deepEqual(world.told, []);
      });
    }
  });

  describe('wake', () => {
    it('by the rule of the bottle while the run goes on, and by the operator’s before and after', async () => {
      world = new SegmentWorld({ wake: 'collaborators' }, { forgeWake: 'anyone', checksWake: true });
      world.gateway.running.add(ID);
      world.forge.putComment(77, MALLORY, 'x');
      const outcome = (): Promise<string> => world.outcome(said(77, { sender: MALLORY }));
      assert.equal(await outcome(), 'not_allowed');
      world.row = stateRow({ status: 'frozen' });
      assert.equal(await outcome(), 'signalled');
      world.row = stateRow({ status: 'destroyed' });
      assert.equal(await outcome(), 'not_allowed');
    });

    it('by the operator’s rule where the bottle has none', async () => {
      world = new SegmentWorld({ wake: 'anyone' }, { forgeWake: null });
      world.gateway.running.add(ID);
      world.row = stateRow({ status: 'frozen' });
      world.forge.putComment(77, MALLORY, 'x');
      assert.equal(await world.outcome(said(77, { sender: MALLORY })), 'signalled');
    });

    it('by failed checks only where the bottle has them do so', async () => {
      world = new SegmentWorld({}, { checksWake: false });
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      assert.equal(await world.outcome(checks(31)), 'not_allowed');
    });
  });

  describe('that overtake what asked for the run', () => {
    beforeEach(() => {
      world.gateway.running.clear();
      world.forge.trigger(12, ACT_AT);
      world.forge.putComment(77, ALICE, 'x', ACT_AT + 1_000);
    });
    const hinted = (commentId: number): Hint => said(commentId, { likelyAssignees: ['bot'] });

    it('begin it and follow it', async () => {
      assert.deepEqual(await world.outcomes(hinted(77)), ['signalled']);
      assert.deepEqual(world.told, [
        [ID, 'observed', true],
        [ID, 'references', false],
      ]);
    });

    it('are left out as far as they are older than that', async () => {
      world.forge.putComment(76, ALICE, 'x', ACT_AT - 1);
      world.forge.putComment(78, ALICE, 'x', ACT_AT);
      assert.deepEqual(await world.outcomes(hinted(76), hinted(78)), ['no_run', 'signalled']);
      const event = world.gateway.sent.at(-1)?.event;
      assert.ok(event?.kind === 'references');
      assert.deepEqual(
        event.references.map(({ id }) => id),
        [78],
      );
    });

    it('begin nothing where no label and no earlier run make it likely', async () => {
      assert.deepEqual(await world.outcomes(said(77)), ['no_run']);
      assert.ok(!world.forge.calls.includes('timeline'));
    });

    it('begin nothing where they were no such thing themselves', async () => {
      world.forge.putComment(77, MALLORY, 'x');
      assert.deepEqual(await world.outcomes(said(77, { sender: MALLORY, likelyAssignees: ['bot'] })), [
        'not_allowed',
      ]);
      assert.ok(!world.forge.calls.includes('timeline'));
    });

    it('begin another one after the run, without a label in the delivery', async () => {
      world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT - 60_000 });
      world.begunBy = { actAt: ACT_AT - 120_000, actId: 1 };
      assert.deepEqual(await world.outcomes(said(77)), ['signalled']);
      assert.deepEqual(world.told[0], [ID, 'observed', true]);
    });

    it('begin it with what did not come too early among them', async () => {
      world.forge.putComment(78, MALLORY, 'x', ACT_AT + 1_000);
      assert.deepEqual(await world.outcomes(hinted(78), hinted(77)), ['not_allowed', 'signalled']);
    });

    it('begin nothing where nobody asked', async () => {
      world.forge.putIssue(12, { labels: [] });
      assert.deepEqual(await world.outcomes(hinted(77)), ['no_run']);
      assert.deepEqual(world.told, []);
    });

    it('begin nothing while the run goes on: it has merely ended meanwhile', async () => {
      world.row = stateRow({ status: 'frozen' });
      assert.deepEqual(await world.outcomes(said(77)), ['no_run']);
      assert.deepEqual(world.told, []);
    });
  });
});
