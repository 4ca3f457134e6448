import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import type { DecideRequest } from '../../src/domain/supervise/decision.js';
import type { PassedOn } from '../../src/domain/run/run-channel.js';
import { temporalRunChannel } from '../../src/adapters/temporal/run-channel.js';
import { decideUpdate } from '../../src/workflows/messages.js';
import { waitUntil } from '../support/stack/stack.js';
import { CLOSED } from '../support/temporal/issue-life.js';
import {
  Gate,
  idOf,
  shownOf,
  withProposingRun,
  type ProposingOptions,
  type ProposingRun,
} from '../support/temporal/proposing-run.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

const HOUR_MS = 3_600_000;
const NOTES = 'e'.repeat(64);
const MINE = 'f'.repeat(64);

/** As the host does with what its agent proposes. */
function passOn(life: ProposingRun, id: string, call: string): Promise<PassedOn> {
  const { slug = '' } = life.fake.ran[0] ?? {};
  const request = { slug, turn: 1, id, tool: 'pipelock-block', ref: shownOf(id) } as const;
  return temporalRunChannel(life.client).propose(life.handle.workflowId, call, request);
}

describe('proposals on the time-skipping server', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  const run = (options: ProposingOptions, work: (run: ProposingRun) => Promise<void>): Promise<void> =>
    withProposingRun(environment(), options, work);

  it('holds the agent’s call until the operator approves, and what was approved is in effect before it is answered', () =>
    run({ record: 'proposal-approved' }, async (life) => {
      const { answer } = await life.proposed(idOf('aaaa1111'));
      assert.equal((await life.view()).proposals, 1);
      assert.deepEqual(await life.decide(idOf('aaaa1111'), { notesRef: NOTES }), {
        slug: life.fake.ran[0]?.slug,
        status: 'approved',
        effect: 'now',
      });
      assert.deepEqual(await answer, { id: idOf('aaaa1111'), status: 'approved', notesRef: NOTES });
      assert.deepEqual(
        life.fake.applied.map(({ changes }) => changes),
        [[shownOf(idOf('aaaa1111'))]],
      );
      life.endTurn();
      await life.frozen();
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status, who, ref } }) => [status, who, ref]),
        [['approved', 'ann@desk', shownOf(idOf('aaaa1111'))]],
      );
      // The agent heard of it: there is nothing to wake it for.
      assert.equal(life.fake.ran.length, 1);
    }));

  it('answers pending after a while, freezes, and weeks later the decision wakes the run and is in its prompt', () =>
    // Time is not skipped while an agent works.
    run({ record: 'proposal-pending', holdMs: 500 }, async (life) => {
      assert.deepEqual(await life.propose(idOf('bbbb2222')), {
        id: idOf('bbbb2222'),
        status: 'pending',
        notesRef: null,
      });
      life.endTurn();
      await life.frozen();
      await environment().sleep(14 * 24 * HOUR_MS);
      assert.equal((await life.decide(idOf('bbbb2222'))).effect, 'next_turn');
      await waitUntil('the second turn', () => life.fake.ran.length === 2);
      assert.deepEqual(life.fake.prepared[1]?.cause, {
        kind: 'decision',
        decisions: [{ id: idOf('bbbb2222'), tool: 'pipelock-block', status: 'approved', notesRef: null }],
      });
      assert.deepEqual(life.fake.ran[1]?.changes, [shownOf(idOf('bbbb2222'))]);
      assert.deepEqual(life.fake.applied, []);
      assert.deepEqual(
        life.fake.checked.map(({ changes }) => changes),
        [[shownOf(idOf('bbbb2222'))]],
      );
      await life.frozen(2);
      assert.equal(life.fake.ran.length, 2);
    }));

  it('takes the operator’s own version, and tells a rejection apart', () =>
    run({}, async (life) => {
      const first = await life.proposed(idOf('cccc0001'));
      const second = await life.proposed(idOf('cccc0002'));
      await life.decide(idOf('cccc0002'), { verdict: 'reject', notesRef: NOTES });
      await life.decide(idOf('cccc0001'), { verdict: 'modify', modified: MINE });
      assert.equal((await first.answer).status, 'modified');
      assert.deepEqual(await second.answer, { id: idOf('cccc0002'), status: 'rejected', notesRef: NOTES });
      assert.deepEqual(
        life.fake.applied.map(({ changes }) => changes),
        [[MINE]],
      );
      life.endTurn();
    }));

  it('is one proposal however often it is sent, and one decision', () =>
    run({}, async (life) => {
      const { answer } = await life.proposed(idOf('dddd0001'));
      const again = life.propose(idOf('dddd0001'), 'another call');
      await life.decide(idOf('dddd0001'));
      assert.equal((await answer).status, 'approved');
      assert.equal((await again).status, 'approved');
      assert.equal((await life.propose(idOf('dddd0001'), 'a third call')).status, 'approved');
      const [type, message] = await life.refusalOf(
        life.decide(idOf('dddd0001'), { verdict: 'reject', by: 'bob@desk' }),
      );
      assert.equal(type, 'DecisionRefused');
      assert.match(message, /^it was approved already, by ann@desk at \d{4}-/);
      assert.equal(life.fake.proposed.length, 1);
      assert.equal(life.fake.decided.length, 1);
      life.endTurn();
    }));

  it('is held once in a turn: sent again it is answered at once and leaves nothing in the history, or hears what was decided', () =>
    run({ holdMs: 1_000 }, async (life) => {
      const id = idOf('dddd0002');
      const sent = async (call: string): ReturnType<PassedOn['outcome']> =>
        (await passOn(life, id, call)).outcome();
      const pending = { id, status: 'pending', notesRef: null };
      // A worker that starts again asks for the same call, a sidecar that does for another.
      assert.deepEqual(await Promise.all(['one', 'one', 'two'].map(sent)), [pending, pending, pending]);
      const updates = async (): Promise<readonly (string | null | undefined)[]> =>
        ((await life.handle.fetchHistory()).events ?? []).flatMap(
          ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
            accepted?.acceptedRequest?.meta?.updateId ?? [],
        );
      assert.deepEqual((await updates()).toSorted(), ['one', 'two']);
      for (const call of ['three', 'four', 'one']) assert.deepEqual(await sent(call), pending);
      assert.equal((await updates()).length, 2);
      await life.decide(id, { verdict: 'reject' });
      assert.deepEqual(await sent('five'), { ...pending, status: 'rejected' });
      life.endTurn();
      await life.frozen();
      assert.equal(life.fake.ran.length, 1, 'there is nothing to wake it for');
    }));

  it('says why what was approved cannot take effect, and the proposal waits as before', () =>
    run({}, async (life) => {
      const { answer } = await life.proposed(idOf('abcd0001'));
      life.fake.applyFailure = ApplicationFailure.nonRetryable(
        'secret "x" is not bound to example.org',
        'invalid',
      );
      const [type, message] = await life.refusalOf(life.decide(idOf('abcd0001')));
      assert.equal(type, 'ChangeFailed');
      assert.match(message, /cannot take effect: secret "x" is not bound to example\.org/);
      assert.deepEqual(life.fake.decided, []);
      life.fake.applyFailure = null;
      await life.decide(idOf('abcd0001'));
      assert.equal((await answer).status, 'approved');
      life.endTurn();
    }));

  it('says the same of a run that is frozen, which sleeps on', () =>
    run({ holdMs: 500 }, async (life) => {
      await life.propose(idOf('abcd0002'));
      life.endTurn();
      await life.frozen();
      life.fake.applyFailure = ApplicationFailure.nonRetryable('no turn could begin with it', 'invalid');
      const [type, message] = await life.refusalOf(life.decide(idOf('abcd0002')));
      assert.equal(type, 'ChangeFailed');
      assert.match(message, /cannot take effect: no turn could begin with it/);
      assert.deepEqual([life.fake.decided, life.fake.ran.length], [[], 1]);
    }));

  it('refuses what Temporal’s own page may send, and goes on', () =>
    run({}, async (life) => {
      const [type, message] = await life.refusalOf(life.propose('../../etc'));
      assert.deepEqual([type, message], ['ProposalRefused', 'it is no proposal']);
      const { answer } = await life.proposed(idOf('aaaa0002'));
      const odd = life.decide(idOf('aaaa0002'), { verdict: 'burn' as 'approve' });
      assert.match((await life.refusalOf(odd))[1], /^it is no decision/);
      await assert.rejects(life.handle.executeUpdate(decideUpdate.name, { args: [null] }));
      const late = { until: 1 } as Partial<DecideRequest>;
      assert.match(
        (await life.refusalOf(life.decide(idOf('aaaa0002'), late)))[1],
        /^its sender stopped waiting/,
      );
      await life.decide(idOf('aaaa0002'));
      assert.equal((await answer).status, 'approved');
    }));

  it('refuses a ninth that would wait, and one of a turn that is over', () =>
    run({}, async (life) => {
      for (let count = 1; count <= 8; count += 1) await life.proposed(idOf(`1234000${String(count)}`));
      const [type, message] = await life.refusalOf(life.propose(idOf('12340009')));
      assert.equal(type, 'ProposalRefused');
      assert.match(message, /^8 proposals wait for the operator already/);
      life.endTurn();
      await life.frozen();
      const over = await life.refusalOf(life.propose(idOf('12340010')));
      assert.deepEqual(over, ['ProposalRefused', 'this turn is over']);
      // Its host hears that, too: what is asked again and again holds the agent for ever.
      const { outcome } = await passOn(life, idOf('12340011'), 'a call');
      assert.deepEqual(await outcome(), { kind: 'refused', reason: 'this turn is over' });
    }));

  it('answers cancelled to who waits when the run ends, which is nobody’s no', () =>
    run({ record: 'proposal-cancelled' }, async (life) => {
      const { answer } = await life.proposed(idOf('77770001'));
      await life.send(CLOSED);
      assert.equal((await answer).status, 'cancelled');
      life.endTurn();
      await life.handle.result();
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status, who } }) => [status, who]),
        [['cancelled', 'bot-bottle']],
      );
    }));

  it('builds the image that was approved, ends the turn that waits for it, and goes on in the image', () =>
    run({ record: 'proposal-image' }, async (life) => {
      const built = new Gate();
      life.fake.whileBuilding = () => built.opened.then(() => ({ kind: 'built' }));
      const { answer } = await life.proposed(idOf('cafe0001'), 'capability-block');
      const decision = life.decide(idOf('cafe0001'), { modified: MINE });
      await waitUntil('the build', () => life.fake.rebuilt.length === 1);
      assert.match(
        (await life.refusalOf(life.decide(idOf('cafe0001'), { verdict: 'reject' })))[1],
        /^it was approved already, by ann@desk/,
      );
      assert.deepEqual(life.fake.decided, []);
      built.open();
      assert.deepEqual(await decision, {
        slug: life.fake.ran[0]?.slug,
        status: 'approved',
        effect: 'next_turn',
      });
      assert.equal((await answer).status, 'approved');
      assert.deepEqual(life.fake.rebuilt[0]?.changes, [MINE]);
      // Nobody ended the turn but the decision.
      await waitUntil('the second turn', () => life.fake.ran.length === 2);
      assert.deepEqual(life.fake.prepared[1]?.cause, {
        kind: 'decision',
        decisions: [{ id: idOf('cafe0001'), tool: 'capability-block', status: 'approved', notesRef: null }],
      });
      assert.deepEqual(life.fake.ran[1]?.changes, [MINE]);
      assert.deepEqual(life.fake.applied, []);
      await life.frozen(2);
      assert.equal(life.fake.ran.length, 2);
    }));

  it('tells agent and operator why an image could not be built, and the turn goes on in the old one', () =>
    run({}, async (life) => {
      life.fake.whileBuilding = () => Promise.resolve({ kind: 'failed', reasonRef: NOTES });
      const { answer } = await life.proposed(idOf('cafe0002'), 'capability-block');
      const decided = await life.decide(idOf('cafe0002'));
      assert.deepEqual(decided, {
        slug: life.fake.ran[0]?.slug,
        status: 'failed',
        effect: 'none',
        whyRef: NOTES,
      });
      assert.deepEqual(await answer, { id: idOf('cafe0002'), status: 'failed', notesRef: NOTES });
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status, who, ref } }) => [status, who, ref]),
        [['failed', 'ann@desk', null]],
      );
      assert.equal((await life.view()).phase, 'running');
      life.endTurn();
      await life.frozen();
      assert.equal(life.fake.ran.length, 1);
    }));

  it('lets an agent that went on finish its turn in the old image first', () =>
    run({ holdMs: 300 }, async (life) => {
      assert.equal((await life.propose(idOf('cafe0003'), 'a call', 'capability-block')).status, 'pending');
      await life.decide(idOf('cafe0003'));
      assert.equal((await life.view()).phase, 'running');
      assert.equal(life.fake.ran.length, 1);
      life.endTurn();
      await waitUntil('the second turn', () => life.fake.ran.length === 2);
      assert.equal(life.fake.prepared[1]?.cause.kind, 'decision');
    }));

  it('builds for a run that is frozen, which wakes when the image is there', () =>
    run({ holdMs: 300 }, async (life) => {
      await life.propose(idOf('cafe0004'), 'a call', 'capability-block');
      life.endTurn();
      await life.frozen();
      assert.equal((await life.decide(idOf('cafe0004'))).effect, 'next_turn');
      assert.equal(life.fake.rebuilt.length, 1);
      await waitUntil('the second turn', () => life.fake.ran.length === 2);
    }));

  it('ends a run while its image is built, and nobody has said no', () =>
    run({}, async (life) => {
      const built = new Gate();
      life.fake.whileBuilding = () => built.opened.then(() => ({ kind: 'built' }));
      const { answer } = await life.proposed(idOf('cafe0005'), 'capability-block');
      const decision = life.decide(idOf('cafe0005'));
      decision.catch(() => undefined);
      await waitUntil('the build', () => life.fake.rebuilt.length === 1);
      await life.send(CLOSED);
      assert.equal((await answer).status, 'pending');
      built.open();
      life.endTurn();
      await life.refusalOf(decision);
      await life.handle.result();
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status } }) => status),
        ['cancelled'],
      );
    }));
});
