import assert from 'node:assert/strict';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { done, failing, modelReport, observed, PUBLISHED, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife, type IssueLife, type LifeOptions } from '../support/temporal/issue-life.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

const DAY_MS = 24 * 3_600_000;
const MERGED = observed({
  readAt: 1_000,
  open: false,
  closedAt: 999,
  prs: [{ number: 13, open: false, merged: true, closedAt: 999 }],
});

describe('issueWorkflow on the time-skipping server', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  /** @param record the name of its recorded histories */
  const run = (
    record: string,
    options: LifeOptions,
    work: (life: IssueLife) => Promise<void>,
  ): Promise<void> => withLife(environment(), { record, ...options }, work);

  it('lives from trigger over done, comment and the same session to destroyed', () =>
    run('whole-life', { settle: { publish: PUBLISHED } }, async (life) => {
      const { fake } = life;
      const frozen = await life.frozen();
      assert.equal(frozen.reason, 'done');
      assert.deepEqual(frozen.prs, [13]);
      await life.comments(1);
      await life.frozen(2);
      assert.equal(fake.ran[1]?.sessionId, 's');
      assert.equal(fake.ran[1].head, 'h');
      await life.send(MERGED);
      await life.handle.result();
      assert.deepEqual(fake.destroyed, [frozen.slug]);
      assert.deepEqual(
        fake.recorded.map((row) => row.turn),
        [1, 2],
      );
      assert.equal(fake.ended[0]?.endedAt, 999);
    }));

  it('tells the forge that an agent is blocked, and goes on although that could not be told', () =>
    run(
      'blocked',
      {
        turn: (_life, { turn }) => (turn > 1 ? DONE : { done: { ...done, status: 'blocked' } }),
        given: { tellFailure: new Error('the forge is away') },
      },
      async (life) => {
        const { fake } = life;
        const blocked = await life.frozen();
        assert.equal(blocked.reason, 'blocked');
        await environment().sleep('1 hour');
        assert.deepEqual(new Set(fake.told), new Set([blocked.slug]));
        assert.equal(fake.told.length, 4, 'a few tries');
        await life.comments(1);
        const frozen = await life.frozen(2);
        assert.equal(frozen.reason, 'done');
        await life.close();
        assert.equal(fake.told.length, 4);
      },
    ));

  it('tells people that failed checks wake it no more', () =>
    withLife(environment(), { settle: { publish: PUBLISHED } }, async (life) => {
      const { slug } = await life.frozen();
      for (const [at, name] of ['build', 'lint', 'docs'].entries()) {
        await life.send(wrote(failing('h', name)));
        await life.frozen(at + 2);
      }
      await life.send(wrote(failing('h', 'deploy')));
      await waitUntil('the words', () => life.fake.told.length > 0);
      assert.deepEqual(life.fake.told, [`checks of #13: ${slug}`]);
    }));

  it('sleeps a usage limit out and goes on in the same session, once', () =>
    run(
      'limited',
      {
        turn: async (_life, { turn }) => {
          if (turn > 1) return DONE;
          const until = (await environment().currentTimeMs()) + 3 * DAY_MS;
          return { exitCode: 1, model: modelReport(7, 0, { kind: 'limited', until }) };
        },
      },
      async (life) => {
        const { fake } = life;
        const limited = await life.frozen();
        assert.equal(limited.reason, 'limited');
        await environment().sleep('2 days');
        assert.equal(fake.ran.length, 1);
        await environment().sleep('2 days');
        const frozen = await life.frozen(2);
        assert.deepEqual([frozen.reason, frozen.resumeAt], ['done', null]);
        assert.deepEqual(
          fake.prepared.map(({ cause, session }) => [cause.kind, session]),
          [
            ['first', 'first'],
            ['limit_over', 'resumed'],
          ],
        );
        assert.equal(fake.ran[1]?.sessionId, 's');
        await life.close();
      },
    ));

  it('begins no turn beyond its budget until the operator raises that, and gives each turn what is left', () =>
    run('budget', { turn: () => ({ ...DONE, model: modelReport(3_000_000, 1) }) }, async (life) => {
      for (const id of [1, 2]) {
        await life.frozen(id);
        await life.comments(id);
      }
      const over = await life.until('the end of the budget', (view) => view.reason === 'budget');
      assert.deepEqual([over.turn, over.mailbox], [2, 1]);
      await life.order({ kind: 'budget', turns: 0, tokens: 1_500_000, microUsd: 0, dayEnds: null });
      await life.frozen(3);
      assert.deepEqual(
        life.fake.ran.map(({ budget }) => budget.tokens),
        [5_000_000, 2_000_000, 500_000],
      );
      await life.close();
    }));

  it('puts the containers of a frozen run away when the sweeper asks, and a comment meanwhile waits for it', () =>
    run('archive', {}, async (life) => {
      const { fake } = life;
      const { slug } = await life.frozen();
      fake.whileArchiving = async () => {
        await life.comments(1);
        await life.until('the comment', (view) => view.mailbox === 1);
        assert.equal(fake.prepared.length, 1, 'no turn is prepared while the containers go');
      };
      await life.send({ kind: 'archive', slug: 'another-run-1-aaaaa' });
      await life.send({ kind: 'archive', slug });
      const woken = await life.frozen(2);
      assert.deepEqual(fake.archived, [slug]);
      assert.equal(fake.ran[1]?.sessionId, 's');
      assert.equal(woken.slug, slug);
      await life.close();
    }));

  it('lets an operator’s turn begin when the containers are away, and answers with that turn', () =>
    run('archive-resumed', {}, async (life) => {
      const { slug } = await life.frozen();
      let resumed: Promise<{ readonly turn: number }> | undefined;
      life.fake.whileArchiving = async () => {
        resumed = life.order({ kind: 'resume', promptRef: null });
        await waitUntil('the command', async () => (await life.timeline()).includes('operator: resume'));
      };
      await life.send({ kind: 'archive', slug });
      await life.frozen(2);
      assert.equal((await resumed)?.turn, 2);
    }));

  it('gives a turn the limit of its agent’s manifest, and never more than the operator’s', () =>
    run(
      'agent-limits',
      { given: { extras: { turnTimeoutMs: 60_000, watchdogMs: 30_000 } } },
      async (life) => {
        const { fake } = life;
        await life.frozen();
        fake.extras = { turnTimeoutMs: DAY_MS };
        await life.comments(1);
        await life.frozen(2);
        assert.deepEqual(
          fake.ran.map(({ turnTimeoutMs }) => turnTimeoutMs),
          [60_000, DEFAULT_POLICY.turnTimeoutMs],
        );
        await life.close();
      },
    ));

  // The server skips no time while an activity runs, so the turn of these two is one that nobody watches for a while.
  const detached = (): never => {
    throw ApplicationFailure.retryable('the host is restarting', 'TurnDetached');
  };

  it('stops a silent agent after the real thirty minutes, exactly once', () =>
    run(
      'watchdog',
      {
        turn: (_life, { stop }) => (stop === null ? detached() : { exitCode: 143 }),
        given: { checkinAgeMs: DEFAULT_POLICY.watchdogMs },
      },
      async (life) => {
        const before = await environment().currentTimeMs();
        await life.running();
        await environment().sleep('29 minutes');
        assert.equal((await life.view()).phase, 'running');
        await environment().sleep('2 minutes');
        const frozen = await life.frozen();
        assert.ok((await environment().currentTimeMs()) - before >= DEFAULT_POLICY.watchdogMs);
        assert.equal(frozen.reason, 'watchdog');
        assert.equal(frozen.watchdogFired, true);
        assert.equal(life.fake.attached.at(-1)?.stop, 'watchdog');
        const stops = (await life.timeline()).filter((what) => what === 'stopping the turn: watchdog');
        assert.equal(stops.length, 1);
      },
    ));

  it('attaches again when watching failed for now, and collects what the turn left', () =>
    run(
      'passing',
      {
        begins: ({ info }) => info.activityType !== 'reattachBottle',
        turn: (_life, _input, { info }) => {
          if (info.activityType === 'reattachBottle' && info.attempt > 1) return DONE;
          throw ApplicationFailure.retryable('no engine answers', 'bottle_runtime');
        },
      },
      async (life) => {
        const { fake } = life;
        const frozen = await life.frozen();
        assert.equal(frozen.reason, 'done');
        assert.equal(fake.ran.length, 1);
        assert.deepEqual(
          fake.attached.map(({ begun }) => begun),
          [true, true],
        );
        assert.ok((await life.timeline()).includes('attaching again: no engine answers'));
      },
    ));

  it('attaches again, and runs no second agent, when the worker that watched goes away', () =>
    run(
      'attach',
      { turn: (_life, _input, { info }) => (info.activityType === 'reattachBottle' ? DONE : detached()) },
      async (life) => {
        assert.equal((await life.frozen()).reason, 'done');
        assert.equal(life.fake.ran.length, 1);
        assert.equal(life.fake.attached.length, 1);
      },
    ));

  it('refuses an operator’s command that cannot apply, with the reason, and takes one that can', () =>
    run('operator', {}, async (life) => {
      const { fake } = life;
      await life.frozen();
      await assert.rejects(
        life.order({ kind: 'extend', ms: 1 }),
        (error: unknown) =>
          error instanceof WorkflowUpdateFailedError && String(error.cause).includes('no turn is running'),
      );
      const accepted = await life.order({ kind: 'resume', promptRef: 'p', by: 'alice@desk' });
      assert.equal(accepted.turn, 2);
      await life.frozen(2);
      await life.destroy();
      const workflowId = workflowIdOf(life.subject);
      assert.deepEqual(
        fake.commanded.map(({ who, kind, detail, slug, workflowId: id }) => [who, kind, detail, slug, id]),
        [
          ['alice@desk', 'resume', { promptRef: 'p' }, accepted.slug, workflowId],
          ['unknown (Temporal)', 'destroy', {}, accepted.slug, workflowId],
        ],
      );
      assert.equal(new Set(fake.commanded.map(({ id }) => id)).size, 2, 'an id of its own each');
    }));

  it('refuses a command that cannot apply any more, since a comment that came with it began a turn', async () => {
    let running: IssueLife | undefined;
    let resumed: Promise<unknown> | undefined;
    const activities: LifeOptions['activities'] = (fake) => ({
      // A local activity: what comes meanwhile waits, and then comes in one workflow task.
      recordTurn: async (input) => {
        if (resumed === undefined && running !== undefined) {
          resumed = running.order({ kind: 'resume', promptRef: 'p' }).catch((error: unknown) => error);
          await running.comments(1);
          await running.handle.describe();
        }
        return fake.activities.recordTurn(input);
      },
    });
    const turn: LifeOptions['turn'] = (life) => {
      running = life;
      return DONE;
    };
    await withLife(environment(), { activities, turn }, async (life) => {
      await life.frozen(2);
      const error = await resumed;
      assert.ok(error instanceof WorkflowUpdateFailedError, 'it was accepted');
      assert.match(String(error.cause), /a turn is under way/);
      assert.deepEqual(life.fake.commanded, []);
      await life.close();
    });
  });

  it('answers a repeated open_pr request with the same answer and publishes once', () =>
    run(
      'open-pr',
      {
        turn: async (life, input) => {
          const first = await life.openPr(input);
          assert.deepEqual(first, await life.openPr(input, 'two'));
          return DONE;
        },
      },
      async (life) => {
        const frozen = await life.frozen();
        assert.deepEqual(frozen.prs, [13]);
        assert.equal(life.fake.publications, 1);
      },
    ));

  it('answers open_pr with a refusal when the gate fails for good, and the turn goes on', () =>
    run(
      'open-pr-failed',
      {
        turn: async (life, input) => {
          const reason = 'the publish gate failed: the token may not push';
          assert.deepEqual(await life.openPr(input), { kind: 'refused', reason });
          return DONE;
        },
        given: { gateFailure: ApplicationFailure.nonRetryable('the token may not push', 'forge_http') },
      },
      async (life) => {
        assert.equal((await life.frozen()).reason, 'done');
      },
    ));

  it('begins a fresh life, with a new slug, for a trigger that came while it was destroying', () =>
    run('fresh-life', {}, async (life) => {
      const { fake } = life;
      fake.whileDestroying = () => life.send(observed({ readAt: 2_000, trigger: trigger(1_500) }));
      const first = await life.frozen();
      await life.send(MERGED);
      // No query until then: one that meets the continue-as-new can wedge the test server for good.
      await waitUntil('the second life to be settled', () => fake.settled.length === 2);
      const second = await life.until(
        'the second life',
        (view) => view.slug !== first.slug && view.phase === 'frozen',
      );
      assert.equal(second.turn, 1);
      assert.deepEqual(fake.destroyed, [first.slug]);
    }));

  it('nudges once after a clean exit without signal_done', () =>
    run('nudge', { turn: () => ({}) }, async (life) => {
      const frozen = await life.frozen(2);
      assert.equal(frozen.reason, 'incomplete');
      assert.deepEqual(
        life.fake.prepared.map((input) => input.cause.kind),
        ['first', 'nudge'],
      );
    }));

  it('freezes when the trigger is withdrawn and goes on when it is given again', () =>
    run('untriggered', {}, async (life) => {
      await life.frozen();
      await life.send(observed({ readAt: 100, triggered: false }));
      await life.until('the withdrawal', (view) => view.reason === 'untriggered');
      await life.comments(1);
      await life.send(observed({ readAt: 200, trigger: trigger(150) }));
      await life.frozen(2);
      assert.deepEqual(
        life.fake.prepared[1]?.references.map((reference) => reference.id),
        [1],
      );
    }));

  it('ends without a trace when the first turn is refused', () =>
    run('refused', { given: { refusal: 'the label is gone' } }, async ({ handle, fake }) => {
      await handle.result();
      assert.equal(fake.ran.length, 0);
      assert.deepEqual(fake.destroyed, []);
    }));

  it('freezes as failed, with the reason, when a turn cannot be run', () =>
    run(
      'failed',
      {
        begins: () => false,
        turn: () => {
          throw ApplicationFailure.nonRetryable('image missing: run script/images', 'bottle_runtime');
        },
      },
      async (life) => {
        const frozen = await life.frozen();
        assert.equal(frozen.reason, 'failed');
        assert.match(frozen.detail ?? '', /script\/images/);
      },
    ));

  it('destroys after the turn when the issue is closed while it runs', () =>
    run(
      'closed-while-running',
      // As the host does: it stops the container when the watching is cancelled.
      { turn: () => untilCalledOff().catch(() => ({ exitCode: 143 })) },
      async (life) => {
        await life.running();
        await life.close();
        assert.equal(life.fake.settled[0]?.publish, false);
        assert.equal(life.fake.destroyed.length, 1);
      },
    ));
});
