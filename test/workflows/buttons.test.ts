import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { beating } from '../../src/activities/base/beating.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { stateQuery, timelineQuery } from '../../src/workflows/messages.js';
import { comment, observed, SUBJECT, trigger, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { order, send } from '../support/temporal/send.js';
import { withWorkers, type AllActivities } from '../support/temporal/time-skipping.js';

const done: Partial<TurnResult> = { done: { id: 'd', status: 'success', summaryRef: 'r' } };
const PUBLISHED = { kind: 'published', pr: 13, prUrl: 'u', head: 'h', created: true } as const;

describe('the buttons of Temporal’s page and the verbs of its CLI', function () {
  this.timeout(90_000);
  const environment = localServer();
  let number = 700;

  interface Run {
    readonly handle: WorkflowHandle;
    readonly fake: ScriptedActivities;
    readonly rests: (turn: number) => Promise<void>;
  }

  /** A run that was triggered, over scripted activities. */
  async function withRun(
    work: (run: Run) => Promise<void>,
    turn: (input: RunTurnInput, handle: WorkflowHandle) => Promise<Partial<TurnResult>> = () =>
      Promise.resolve(done),
    change: Partial<AllActivities> = {},
  ): Promise<void> {
    const { client } = environment();
    const subject = { ...SUBJECT, number: (number += 1) };
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities(() => ({
      run: async (input) => {
        await send(handle, { kind: 'turn_started', slug: input.slug, turn: input.turn, at: 0 });
        return turn(input, handle);
      },
      settle: { publish: PUBLISHED },
    }));
    const rests = (at: number): Promise<void> =>
      waitUntil(`turn ${String(at)} to be frozen`, async () => {
        const view = await handle.query(stateQuery);
        return view.phase === 'frozen' && view.turn >= at;
      });
    await withWorkers(environment(), { ...fake.activities, ...change }, async () => {
      const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
      const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
      await gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
      await work({ handle, fake, rests });
      await noTaskFailed(handle);
    });
  }

  async function noTaskFailed(handle: WorkflowHandle): Promise<void> {
    const { events } = await handle.fetchHistory();
    const failed = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: at }) =>
      at === null || at === undefined || at.failure?.resetWorkflowFailureInfo !== undefined ? [] : [at],
    );
    const real = failed.filter(({ cause }) => String(cause) !== 'RESET_WORKFLOW' && Number(cause) !== 11);
    assert.deepEqual(real, []);
  }

  it('Request cancellation destroys a frozen run, and its result says what it came to', () =>
    withRun(async ({ handle, fake, rests }) => {
      await rests(1);
      await handle.cancel();
      const outcome: unknown = await handle.result();
      const { slug } = fake.ran[0] ?? {};
      assert.deepEqual(fake.destroyed, [slug]);
      assert.deepEqual(outcome, {
        slug,
        agent: 'implementer',
        prs: [13],
        turns: 1,
        spent: { turns: 1, tokens: 0, microUsd: 0 },
        why: 'destroyed by the operator',
      });
      assert.deepEqual(
        fake.commanded.map(({ kind, who }) => [kind, who]),
        [['destroy', 'unknown (Temporal)']],
      );
    }));

  it('Request cancellation stops an agent that runs, settles its turn and destroys the run', () =>
    withRun(
      async ({ handle, fake }) => {
        await waitUntil('the agent', async () => (await handle.query(stateQuery)).phase === 'running');
        await handle.cancel();
        await handle.result();
        assert.deepEqual(
          fake.recorded.map(({ result }) => result.stopped),
          ['closed'],
        );
        assert.equal(fake.destroyed.length, 1);
      },
      // As the host does: it stops the container when the watching is cancelled.
      () =>
        beating(() => new Promise<never>(() => undefined)).catch(() => ({
          exitCode: 143,
          stopped: 'closed',
        })),
    ));

  it('Send signal with anything leaves a note in the timeline, and the run goes on', () =>
    withRun(async ({ handle, fake, rests }) => {
      await rests(1);
      const odd: readonly (readonly [string, readonly unknown[]])[] = [
        ['event', [{ kind: 'references' }]],
        ['references', [{ kind: 'references' }]],
        ['pr_comment', []],
        ['pr_comment', [null]],
        ['pr_review', [{ references: 'x', withdrawn: [], place: null }]],
        ['observed', [{ readAt: 'now' }]],
        ['signal_done', ['done']],
        ['__proto__', [{}]],
        ['turn_finished', [{ turn: 1 }]],
      ];
      for (const [name, args] of odd) await handle.signal(name, ...args);
      await send(handle, wrote(comment(1)));
      await rests(2);
      const notes = (await handle.query(timelineQuery)).map(({ what }) => what);
      assert.equal(notes.filter((what) => what.includes('was not understood')).length, odd.length);
      assert.equal(fake.ran.length, 2);
      await order(handle, { kind: 'destroy' });
      await handle.result();
    }));

  it('Send update by a command’s name needs no CLI of ours, and says why when it is refused', () =>
    withRun(async ({ handle, rests }) => {
      await rests(1);
      const { phase } = await handle.executeUpdate<{ phase: string }, []>('freeze');
      assert.equal(phase, 'frozen');
      const refused: readonly (readonly [string, unknown, RegExp])[] = [
        ['extend', undefined, /"ms" is missing/],
        ['extend', { ms: 60_000 }, /no turn is running/],
        ['budget', null, /say by what/],
        ['done', 7, /takes a JSON object/],
        ['openPr', null, /turn is over|null/],
        ['event', {}, /not found|unknown|no registered/i],
      ];
      for (const [name, input, why] of refused)
        await assert.rejects(
          handle.executeUpdate(name, { args: [input] }),
          (error: unknown) => error instanceof WorkflowUpdateFailedError && why.test(String(error.cause)),
          name,
        );
      await handle.executeUpdate<unknown, [object]>('resume', { args: [{}] });
      await rests(2);
      await handle.executeUpdate<unknown, []>('destroy');
      await handle.result();
    }));

  it('Reset to any workflow task ends where the run would have ended', async function () {
    this.timeout(180_000);
    await withRun(async ({ handle, fake, rests }) => {
      await rests(1);
      await send(handle, wrote(comment(1)));
      await rests(2);
      const { workflowId } = handle;
      const { runId } = await handle.describe();
      const { events } = await handle.fetchHistory();
      const tasks = (events ?? []).filter(
        ({ workflowTaskCompletedEventAttributes: at }) => at !== null && at !== undefined,
      );
      assert.ok(tasks.length > 5);
      const { connection } = environment();
      for (const { eventId } of tasks) {
        await connection.workflowService.resetWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId, runId },
          reason: 'a test',
          workflowTaskFinishEventId: eventId ?? null,
          requestId: randomUUID(),
        });
        await rests(2);
        const view = await handle.query(stateQuery);
        assert.deepEqual(
          [view.reason, view.prs, view.mailbox],
          ['done', [13], 0],
          `reset to ${String(eventId)}`,
        );
      }
      await order(handle, { kind: 'destroy' });
      await handle.result();
      assert.equal(new Set(fake.ran.map(({ slug }) => slug)).size, 1, 'one run, whatever was reset');
    });
  });

  it('Pause of the activity that watches a turn hands it to another watcher', () => {
    let watching = 0;
    return withRun(
      async ({ handle, rests }) => {
        await waitUntil('the agent', () => Promise.resolve(watching === 1));
        const { connection } = environment();
        await connection.workflowService.pauseActivity({
          namespace: 'default',
          execution: { workflowId: handle.workflowId },
          type: 'launchBottle',
          reason: 'a test',
        });
        await rests(1);
        assert.equal(watching, 2);
        await order(handle, { kind: 'destroy' });
        await handle.result();
      },
      () => {
        watching += 1;
        if (activityInfo().activityType === 'reattachBottle') return Promise.resolve(done);
        // As the host does: whoever is paused lets go of the turn, and its container goes on.
        return beating(() => new Promise<never>(() => undefined)).catch(() => {
          throw ApplicationFailure.nonRetryable('paused', 'TurnDetached');
        });
      },
    );
  });
});
