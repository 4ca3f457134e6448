import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import assert from 'node:assert/strict';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { History } from '../support/temporal/histories.js';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import type { RunEvent } from '../../src/domain/run/events.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { openPrUpdate, stateQuery, timelineQuery, type RunView } from '../../src/workflows/messages.js';
import { waitUntil } from '../support/stack/stack.js';
import { comment, modelReport, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { ScriptedActivities, type TurnScript } from '../support/temporal/scripted-activities.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { saveHistory } from '../support/temporal/histories.js';
import { timeSkipping, withWorkers } from '../support/temporal/time-skipping.js';
import { order, send } from '../support/temporal/send.js';

const done: Partial<TurnResult> = { done: { id: 'd', status: 'success', summaryRef: 'r' } };
const DAY_MS = 24 * 3_600_000;
const CLOSED = observed({
  readAt: 1_000,
  open: false,
  closedAt: 999,
  prs: [{ number: 13, open: false, merged: true, closedAt: 999 }],
});

describe('issueWorkflow on the time-skipping server', function () {
  this.timeout(60_000);
  let environment: TestWorkflowEnvironment;
  let number = 100;

  before(async () => {
    environment = await timeSkipping();
  });
  after(async () => {
    await environment.teardown();
  });

  class Life {
    readonly subject = { ...SUBJECT, number: (number += 1) };
    readonly client: Client = environment.client;
    private firstRunId: string | undefined;

    handle(): WorkflowHandle {
      return this.client.workflow.getHandle(workflowIdOf(this.subject));
    }

    async trigger(actAt = 5): Promise<void> {
      const gateway = temporalGateway(this.client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: actAt + 1 }), trigger: trigger(actAt) };
      await gateway.signalWithStart(this.subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      this.firstRunId ??= (await this.handle().describe()).runId;
    }

    /** Histories of the first and the current execution, which differ after continue-as-new. */
    async histories(): Promise<History[]> {
      const { workflow } = this.client;
      const id = workflowIdOf(this.subject);
      const current = (await workflow.getHandle(id).describe()).runId;
      const runIds = [...new Set([this.firstRunId ?? current, current])];
      return Promise.all(runIds.map((runId) => workflow.getHandle(id, runId).fetchHistory()));
    }

    send(event: RunEvent): Promise<void> {
      return send(this.handle(), event);
    }

    async started({ slug, turn }: RunTurnInput): Promise<void> {
      await this.send({ kind: 'turn_started', slug, turn, at: 0 });
    }

    async until(condition: (view: RunView) => boolean): Promise<RunView> {
      for (const deadline = Date.now() + 20_000; ;) {
        const view = await this.client.withDeadline(deadline, () => this.handle().query(stateQuery));
        if (condition(view)) return view;
        assert.ok(Date.now() < deadline, `not reached: ${JSON.stringify(view)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Runs a life; with BOT_BOTTLE_RECORD_HISTORIES its histories become the ones that are replayed on every run. */
  const run = async (
    name: string,
    script: (life: Life) => (turn: number) => TurnScript,
    work: (life: Life, fake: ScriptedActivities) => Promise<void>,
  ): Promise<void> => {
    const life = new Life();
    const fake = new ScriptedActivities(script(life));
    await withWorkers(environment, fake.activities, () => work(life, fake));
    if (process.env['BOT_BOTTLE_RECORD_HISTORIES'] === undefined) return;
    for (const [index, history] of (await life.histories()).entries())
      await saveHistory(`${name}-${String(index + 1)}`, history);
  };

  it('lives from trigger over done, comment and the same session to destroyed', () =>
    run(
      'whole-life',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
        settle: { publish: { kind: 'published', pr: 13, prUrl: 'u', head: 'h', created: true } },
      }),
      async (life, fake) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'done');
        assert.deepEqual(frozen.prs, [13]);
        await life.send(wrote(comment(1)));
        await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.equal(fake.ran[1]?.sessionId, 's');
        assert.equal(fake.ran[1].head, 'h');
        await life.send(CLOSED);
        await life.handle().result();
        assert.deepEqual(fake.destroyed, [frozen.slug]);
        assert.deepEqual(
          fake.recorded.map((row) => row.turn),
          [1, 2],
        );
        assert.equal(fake.ended[0]?.endedAt, 999);
      },
    ));

  it('tells the forge that an agent is blocked, and goes on although that could not be told', () =>
    run(
      'blocked',
      (life) => (turn) => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return turn > 1 ? done : { done: { id: 'd', status: 'blocked', summaryRef: 'r' } };
        },
      }),
      async (life, fake) => {
        fake.tellFailure = new Error('the forge is away');
        await life.trigger();
        const blocked = await life.until((view) => view.phase === 'frozen');
        assert.equal(blocked.reason, 'blocked');
        await environment.sleep('1 hour');
        assert.deepEqual(new Set(fake.told), new Set([blocked.slug]));
        assert.equal(fake.told.length, 4, 'a few tries');
        await life.send(wrote(comment(1)));
        const frozen = await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.equal(frozen.reason, 'done');
        await life.send(CLOSED);
        await life.handle().result();
        assert.equal(fake.told.length, 4);
      },
    ));

  it('sleeps a usage limit out and goes on in the same session, once', () =>
    run(
      'limited',
      (life) => (turn) => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          if (turn > 1) return done;
          const until = (await environment.currentTimeMs()) + 3 * DAY_MS;
          return { exitCode: 1, model: modelReport(7, 0, { kind: 'limited', until }) };
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const limited = await life.until((view) => view.phase === 'frozen');
        assert.equal(limited.reason, 'limited');
        await environment.sleep('2 days');
        assert.equal(fake.ran.length, 1);
        await environment.sleep('2 days');
        const frozen = await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.deepEqual([frozen.reason, frozen.resumeAt], ['done', null]);
        assert.deepEqual(
          fake.prepared.map(({ cause, session }) => [cause.kind, session]),
          [
            ['first', 'first'],
            ['limit_over', 'resumed'],
          ],
        );
        assert.equal(fake.ran[1]?.sessionId, 's');
        await life.send(CLOSED);
        await life.handle().result();
      },
    ));

  it('begins no turn beyond its budget until the operator raises that, and gives each turn what is left', () =>
    run(
      'budget',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return { ...done, model: modelReport(3_000_000, 1) };
        },
      }),
      async (life, fake) => {
        await life.trigger();
        for (const id of [1, 2]) {
          await life.until((view) => view.phase === 'frozen' && view.turn === id);
          await life.send(wrote(comment(id)));
        }
        const over = await life.until((view) => view.reason === 'budget');
        assert.deepEqual([over.turn, over.mailbox], [2, 1]);
        const raised = { kind: 'budget', turns: 0, tokens: 1_500_000, microUsd: 0, dayEnds: null } as const;
        await order(life.handle(), raised);
        await life.until((view) => view.phase === 'frozen' && view.turn === 3);
        assert.deepEqual(
          fake.ran.map(({ budget }) => budget.tokens),
          [5_000_000, 2_000_000, 500_000],
        );
        await life.send(CLOSED);
        await life.handle().result();
      },
    ));

  it('puts the containers of a frozen run away when the sweeper asks, and a comment meanwhile waits for it', () =>
    run(
      'archive',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const { slug } = await life.until((view) => view.phase === 'frozen');
        assert.ok(slug !== null);
        fake.whileArchiving = async () => {
          await life.send(wrote(comment(1)));
          await life.until((view) => view.mailbox === 1);
          assert.equal(fake.prepared.length, 1, 'no turn is prepared while the containers go');
        };
        await life.send({ kind: 'archive', slug: 'another-run-1-aaaaa' });
        await life.send({ kind: 'archive', slug });
        const woken = await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.deepEqual(fake.archived, [slug]);
        assert.equal(fake.ran[1]?.sessionId, 's');
        assert.equal(woken.slug, slug);
        await life.send(CLOSED);
        await life.handle().result();
      },
    ));

  it('lets an operator’s turn begin when the containers are away, and answers with that turn', () =>
    run(
      'archive-resumed',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const { slug } = await life.until((view) => view.phase === 'frozen');
        assert.ok(slug !== null);
        let resumed: Promise<{ readonly turn: number }> | undefined;
        fake.whileArchiving = async () => {
          resumed = order(life.handle(), { kind: 'resume', promptRef: null });
          await waitUntil('the command', async () =>
            (await life.handle().query(timelineQuery)).some(({ what }) => what === 'operator: resume'),
          );
        };
        await life.send({ kind: 'archive', slug });
        await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.equal((await resumed)?.turn, 2);
        await life.handle().terminate();
      },
    ));

  it('gives a turn the limit of its agent’s manifest, and never more than the operator’s', () =>
    run(
      'agent-limits',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
      }),
      async (life, fake) => {
        fake.extras = { turnTimeoutMs: 60_000, watchdogMs: 30_000 };
        await life.trigger();
        await life.until((view) => view.phase === 'frozen');
        fake.extras = { turnTimeoutMs: 24 * 3_600_000 };
        await life.send(wrote(comment(1)));
        await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        assert.deepEqual(
          fake.ran.map(({ turnTimeoutMs }) => turnTimeoutMs),
          [60_000, DEFAULT_POLICY.turnTimeoutMs],
        );
        await life.send(CLOSED);
        await life.handle().result();
      },
    ));

  // The server skips no time while an activity runs, so the turn of these two is one that nobody watches for a while.
  const detached = (): never => {
    throw ApplicationFailure.retryable('the host is restarting', 'TurnDetached');
  };

  it('stops a silent agent after the real thirty minutes, exactly once', () =>
    run(
      'watchdog',
      (life) => () => ({
        run: async (input) => {
          await life.started(input);
          return input.stop === null ? detached() : { exitCode: 143 };
        },
      }),
      async (life, fake) => {
        fake.checkinAgeMs = DEFAULT_POLICY.watchdogMs;
        const before = await environment.currentTimeMs();
        await life.trigger();
        await life.until((view) => view.phase === 'running');
        await environment.sleep('29 minutes');
        assert.equal((await life.handle().query(stateQuery)).phase, 'running');
        await environment.sleep('2 minutes');
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.ok((await environment.currentTimeMs()) - before >= DEFAULT_POLICY.watchdogMs);
        assert.equal(frozen.reason, 'watchdog');
        assert.equal(frozen.watchdogFired, true);
        assert.equal(fake.attached.at(-1)?.stop, 'watchdog');
        const timeline = await life.handle().query(timelineQuery);
        assert.equal(timeline.filter((entry) => entry.what === 'stopping the turn: watchdog').length, 1);
        await life.handle().terminate();
      },
    ));

  it('attaches again when watching failed for now, and collects what the turn left', () =>
    run(
      'passing',
      (life) => () => ({
        run: async (input, { info }) => {
          if (info.activityType === 'reattachBottle' && info.attempt > 1) return done;
          if (info.activityType !== 'reattachBottle') await life.started(input);
          throw ApplicationFailure.retryable('no engine answers', 'bottle_runtime');
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'done');
        assert.equal(fake.ran.length, 1);
        assert.deepEqual(
          fake.attached.map(({ begun }) => begun),
          [true, true],
        );
        const timeline = await life.handle().query(timelineQuery);
        assert.ok(timeline.some(({ what }) => what === 'attaching again: no engine answers'));
        await life.handle().terminate();
      },
    ));

  it('attaches again, and runs no second agent, when the worker that watched goes away', () =>
    run(
      'attach',
      (life) => () => ({
        run: async (input, activity) => {
          await life.started(input);
          return activity.info.activityType === 'reattachBottle' ? done : detached();
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'done');
        assert.equal(fake.ran.length, 1);
        assert.equal(fake.attached.length, 1);
        await life.handle().terminate();
      },
    ));

  it('refuses an operator’s command that cannot apply, with the reason, and takes one that can', () =>
    run(
      'operator',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
      }),
      async (life, fake) => {
        await life.trigger();
        await life.until((view) => view.phase === 'frozen');
        const refused = order(life.handle(), { kind: 'extend', ms: 1 });
        await assert.rejects(
          refused,
          (error: unknown) =>
            error instanceof WorkflowUpdateFailedError && String(error.cause).includes('no turn is running'),
        );
        const accepted = await order(life.handle(), { kind: 'resume', promptRef: 'p', by: 'alice@desk' });
        assert.equal(accepted.turn, 2);
        await life.until((view) => view.phase === 'frozen' && view.turn === 2);
        await order(life.handle(), { kind: 'destroy' });
        await life.handle().result();
        const workflowId = workflowIdOf(life.subject);
        assert.deepEqual(
          fake.commanded.map(({ who, kind, detail, slug, workflowId: id }) => [who, kind, detail, slug, id]),
          [
            ['alice@desk', 'resume', { promptRef: 'p' }, accepted.slug, workflowId],
            ['unknown (Temporal)', 'destroy', {}, accepted.slug, workflowId],
          ],
        );
        assert.equal(new Set(fake.commanded.map(({ id }) => id)).size, 2, 'an id of its own each');
      },
    ));

  it('answers a repeated open_pr request with the same answer and publishes once', () =>
    run(
      'open-pr',
      (life) => (turn) => ({
        run: async (input) => {
          await life.started(input);
          const request = { slug: input.slug, turn, requestId: 'request1', contentRef: 'c' };
          const first = await life.handle().executeUpdate(openPrUpdate, { args: [request], updateId: 'one' });
          const second = await life
            .handle()
            .executeUpdate(openPrUpdate, { args: [request], updateId: 'two' });
          assert.deepEqual(first, second);
          return done;
        },
      }),
      async (life) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.deepEqual(frozen.prs, [13]);
        const history = await life.handle().fetchHistory();
        const published = history.events?.filter(
          (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'publishWork',
        );
        assert.equal(published?.length, 1);
        await life.handle().terminate();
      },
    ));

  it('answers open_pr with a refusal when the gate fails for good, and the turn goes on', () =>
    run(
      'open-pr-failed',
      (life) => (turn) => ({
        run: async (input) => {
          await life.started(input);
          const request = { slug: input.slug, turn, requestId: 'request1', contentRef: 'c' };
          const answer = await life
            .handle()
            .executeUpdate(openPrUpdate, { args: [request], updateId: 'one' });
          assert.deepEqual(answer, {
            kind: 'refused',
            reason: 'the publish gate failed: the token may not push',
          });
          return done;
        },
      }),
      async (life, fake) => {
        fake.gateFailure = ApplicationFailure.nonRetryable('the token may not push', 'forge_http');
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'done');
        await life.handle().terminate();
      },
    ));

  it('begins a fresh life, with a new slug, for a trigger that came while it was destroying', () =>
    run(
      'fresh-life',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return done;
        },
      }),
      async (life, fake) => {
        fake.whileDestroying = () => life.send(observed({ readAt: 2_000, trigger: trigger(1_500) }));
        await life.trigger();
        const first = await life.until((view) => view.phase === 'frozen');
        await life.send(CLOSED);
        // No query until then: one that meets the continue-as-new can wedge the test server for good.
        await waitUntil('the second life to be settled', () => fake.settled.length === 2);
        const second = await life.until((view) => view.slug !== first.slug && view.phase === 'frozen');
        assert.equal(second.turn, 1);
        assert.deepEqual(fake.destroyed, [first.slug]);
        await life.handle().terminate();
      },
    ));

  const plain = (life: Life) => () => ({
    run: async (input: RunTurnInput) => {
      await life.started(input);
      return done;
    },
  });

  it('nudges once after a clean exit without signal_done', () =>
    run(
      'nudge',
      (life) => () => ({
        run: async (input: RunTurnInput) => {
          await life.started(input);
          return {};
        },
      }),
      async (life, fake) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'incomplete');
        assert.deepEqual(
          fake.prepared.map((input) => input.cause.kind),
          ['first', 'nudge'],
        );
        await life.handle().terminate();
      },
    ));

  it('freezes when the trigger is withdrawn and goes on when it is given again', () =>
    run('untriggered', plain, async (life, fake) => {
      await life.trigger();
      await life.until((view) => view.phase === 'frozen');
      await life.send(observed({ readAt: 100, triggered: false }));
      await life.until((view) => view.reason === 'untriggered');
      await life.send(wrote(comment(1)));
      await life.send(observed({ readAt: 200, trigger: trigger(150) }));
      await life.until((view) => view.phase === 'frozen' && view.turn === 2);
      assert.deepEqual(
        fake.prepared[1]?.references.map((reference) => reference.id),
        [1],
      );
      await life.handle().terminate();
    }));

  it('ends without a trace when the first turn is refused', () =>
    run('refused', plain, async (life, fake) => {
      fake.refusal = 'the label is gone';
      await life.trigger();
      await life.handle().result();
      assert.equal(fake.ran.length, 0);
      assert.deepEqual(fake.destroyed, []);
    }));

  it('freezes as failed, with the reason, when a turn cannot be run', () =>
    run(
      'failed',
      () => () => ({
        run: () =>
          Promise.reject(
            ApplicationFailure.nonRetryable('image missing: run script/images', 'bottle_runtime'),
          ),
      }),
      async (life) => {
        await life.trigger();
        const frozen = await life.until((view) => view.phase === 'frozen');
        assert.equal(frozen.reason, 'failed');
        assert.match(frozen.detail ?? '', /script\/images/);
        await life.handle().terminate();
      },
    ));

  it('destroys after the turn when the issue is closed while it runs', () =>
    run(
      'closed-while-running',
      (life) => () => ({
        run: async (input, activity) => {
          await life.started(input);
          const beating = setInterval(() => {
            activity.heartbeat();
          }, 100);
          await activity.cancelled.catch(() => undefined);
          clearInterval(beating);
          return { exitCode: 143 };
        },
      }),
      async (life, fake) => {
        await life.trigger();
        await life.until((view) => view.phase === 'running');
        await life.send(observed({ readAt: 1_000, open: false, closedAt: 999 }));
        await life.handle().result();
        assert.equal(fake.settled[0]?.publish, false);
        assert.equal(fake.destroyed.length, 1);
      },
    ));
});
