import assert from 'node:assert/strict';
import { WorkflowUpdateFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import type { ProposalOutcome, ProposeRequest } from '../../src/domain/run/run-channel.js';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { decideUpdate, proposeUpdate, stateQuery } from '../../src/workflows/messages.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { observed, SUBJECT, trigger } from '../support/machine/world.js';
import { saveHistory } from '../support/temporal/histories.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { send } from '../support/temporal/send.js';
import { timeSkipping, withWorkers } from '../support/temporal/time-skipping.js';
import { waitUntil } from '../support/stack/stack.js';
import type { DecideRequest, DecisionAccepted } from '../../src/domain/supervise/decision.js';

const done: Partial<TurnResult> = { done: { id: 'd', status: 'success', summaryRef: 'r' } };
const HOUR_MS = 3_600_000;
const NOTES = 'e'.repeat(64);
const MINE = 'f'.repeat(64);

/** An id as proposals have it. */
const idOf = (name: string): string => name.padEnd(32, '0');
/** What the operator is shown of it: a blob. */
const shownOf = (id: string): string => id.repeat(2);

describe('proposals on the time-skipping server', function () {
  this.timeout(60_000);
  let environment: TestWorkflowEnvironment;
  let number = 900;

  before(async () => {
    environment = await timeSkipping();
  });
  after(async () => {
    await environment.teardown();
  });

  /** A run whose first turn does what it is told, and whose later ones end at once. */
  class Run {
    readonly subject = { ...SUBJECT, number: (number += 1) };
    readonly client: Client = environment.client;
    private slug = '';
    private finish = (): void => undefined;
    private readonly finished = new Promise<void>((resolve) => (this.finish = resolve));
    readonly fake = new ScriptedActivities((turn) => ({
      run: async (input: RunTurnInput) => {
        this.slug = input.slug;
        await send(this.handle(), { kind: 'turn_started', slug: input.slug, turn, at: 0 });
        if (turn === 1) await this.finished;
        return done;
      },
    }));

    handle(): WorkflowHandle {
      return this.client.workflow.getHandle(workflowIdOf(this.subject));
    }

    async begin(superviseHoldMs = DEFAULT_POLICY.superviseHoldMs): Promise<void> {
      const gateway = temporalGateway(this.client, { policy: { ...DEFAULT_POLICY, superviseHoldMs } });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(this.subject, asked, { title: 'A run', url: 'http://forge.invalid/1' });
      await this.until('the agent at work', async () => (await this.phase()) === 'running');
    }

    endTurn(): void {
      this.finish();
    }

    async phase(): Promise<string> {
      return (await this.handle().query(stateQuery)).phase;
    }

    until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
      return waitUntil(what, condition, 20_000);
    }

    propose(id: string, call = id): Promise<ProposalOutcome> {
      const request: ProposeRequest = {
        slug: this.slug,
        turn: 1,
        id,
        tool: 'pipelock-block',
        ref: shownOf(id),
      };
      return this.handle().executeUpdate(proposeUpdate, { args: [request], updateId: call });
    }

    async proposed(id: string): Promise<{ readonly answer: Promise<ProposalOutcome> }> {
      const answer = this.propose(id);
      answer.catch(() => undefined);
      await this.until('its row', () => this.fake.proposed.some(({ proposal }) => proposal.id === id));
      return { answer };
    }

    decide(id: string, asked: Partial<DecideRequest> = {}): Promise<DecisionAccepted> {
      const request: DecideRequest = {
        id,
        shown: shownOf(id),
        verdict: 'approve',
        modified: null,
        notesRef: null,
        by: 'ann@desk',
        ...asked,
      };
      return this.handle().executeUpdate(decideUpdate, { args: [request] });
    }

    async refusalOf(call: Promise<unknown>): Promise<readonly [type: string, message: string]> {
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof WorkflowUpdateFailedError, String(error));
      assert.ok(error.cause instanceof ApplicationFailure);
      return [error.cause.type ?? '', error.cause.message];
    }
  }

  const run = async (name: string | null, work: (run: Run) => Promise<void>): Promise<void> => {
    const one = new Run();
    await withWorkers(environment, one.fake.activities, async () => {
      try {
        await work(one);
      } finally {
        one.endTurn();
      }
    });
    if (name === null || process.env['BOT_BOTTLE_RECORD_HISTORIES'] === undefined) return;
    await saveHistory(`${name}-1`, await one.handle().fetchHistory());
  };

  it('holds the agent’s call until the operator approves, and what was approved is in effect before it is answered', () =>
    run('proposal-approved', async (life) => {
      await life.begin();
      const { answer } = await life.proposed(idOf('aaaa1111'));
      assert.equal((await life.handle().query(stateQuery)).proposals, 1);
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
      await life.until('the freeze', async () => (await life.phase()) === 'frozen');
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status, who, ref } }) => [status, who, ref]),
        [['approved', 'ann@desk', shownOf(idOf('aaaa1111'))]],
      );
      // The agent heard of it: there is nothing to wake it for.
      assert.equal(life.fake.ran.length, 1);
    }));

  it('answers pending after a while, freezes, and weeks later the decision wakes the run and is in its prompt', () =>
    run('proposal-pending', async (life) => {
      // Time is not skipped while an agent works.
      await life.begin(500);
      assert.deepEqual(await life.propose(idOf('bbbb2222')), {
        id: idOf('bbbb2222'),
        status: 'pending',
        notesRef: null,
      });
      life.endTurn();
      await life.until('the freeze', async () => (await life.phase()) === 'frozen');
      await environment.sleep(14 * 24 * HOUR_MS);
      assert.equal((await life.decide(idOf('bbbb2222'))).effect, 'next_turn');
      await life.until('the second turn', () => life.fake.ran.length === 2);
      assert.deepEqual(life.fake.prepared[1]?.cause, {
        kind: 'decision',
        decisions: [{ id: idOf('bbbb2222'), tool: 'pipelock-block', status: 'approved', notesRef: null }],
      });
      assert.deepEqual(life.fake.ran[1]?.changes, [shownOf(idOf('bbbb2222'))]);
      assert.deepEqual(life.fake.applied, []);
      await life.until('the second freeze', async () => (await life.phase()) === 'frozen');
      assert.equal(life.fake.ran.length, 2);
    }));

  it('takes the operator’s own version, and tells a rejection apart', () =>
    run(null, async (life) => {
      await life.begin();
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
    run(null, async (life) => {
      await life.begin();
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

  it('decides nothing but what the operator was shown', () =>
    run(null, async (life) => {
      await life.begin();
      const { answer } = await life.proposed(idOf('eeee0001'));
      const stale = await life.refusalOf(life.decide(idOf('eeee0001'), { shown: shownOf(idOf('bef0')) }));
      assert.deepEqual(stale, ['DecisionRefused', 'it is not what you were shown: look at it again']);
      const unknown = await life.refusalOf(life.decide(idOf('ffff'), {}));
      assert.deepEqual(unknown, ['DecisionRefused', 'the run has no such proposal']);
      await life.decide(idOf('eeee0001'));
      assert.equal((await answer).status, 'approved');
      life.endTurn();
    }));

  it('says why what was approved cannot take effect, and the proposal waits as before', () =>
    run(null, async (life) => {
      await life.begin();
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

  it('refuses what Temporal’s own page may send, and goes on', () =>
    run(null, async (life) => {
      await life.begin();
      const [type, message] = await life.refusalOf(life.propose('../../etc'));
      assert.deepEqual([type, message], ['ProposalRefused', 'it is no proposal']);
      const { answer } = await life.proposed(idOf('aaaa0002'));
      const odd = life.decide(idOf('aaaa0002'), { verdict: 'burn' as 'approve' });
      assert.match((await life.refusalOf(odd))[1], /^it is no decision/);
      await assert.rejects(life.handle().executeUpdate(decideUpdate.name, { args: [null] }));
      await life.decide(idOf('aaaa0002'));
      assert.equal((await answer).status, 'approved');
    }));

  it('refuses a ninth that would wait, and one of a turn that is over', () =>
    run(null, async (life) => {
      await life.begin();
      for (let count = 1; count <= 8; count += 1) await life.proposed(idOf(`1234000${String(count)}`));
      const [type, message] = await life.refusalOf(life.propose(idOf('12340009')));
      assert.equal(type, 'ProposalRefused');
      assert.match(message, /^8 proposals wait for the operator already/);
      life.endTurn();
      await life.until('the freeze', async () => (await life.phase()) === 'frozen');
      const over = await life.refusalOf(life.propose(idOf('12340010')));
      assert.deepEqual(over, ['ProposalRefused', 'this turn is over']);
    }));

  it('answers cancelled to who waits when the run ends, which is nobody’s no', () =>
    run('proposal-cancelled', async (life) => {
      await life.begin();
      const { answer } = await life.proposed(idOf('77770001'));
      await send(life.handle(), observed({ readAt: 1_000, open: false, closedAt: 999 }));
      assert.equal((await answer).status, 'cancelled');
      life.endTurn();
      await life.handle().result();
      assert.deepEqual(
        life.fake.decided.map(({ decision: { status, who } }) => [status, who]),
        [['cancelled', 'bot-bottle']],
      );
    }));
});
