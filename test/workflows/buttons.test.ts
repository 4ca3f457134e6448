import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { PUBLISHED } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife, type IssueLife, type LifeOptions } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { replayed } from '../support/temporal/replayed.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';

describe('the buttons of Temporal’s page and the verbs of its CLI', function () {
  this.timeout(90_000);
  const environment = localServer();

  /** A run that publishes what its turns leave, over scripted activities. */
  const withRun = (
    work: (life: IssueLife) => Promise<void>,
    turn: LifeOptions['turn'] = () => DONE,
  ): Promise<void> =>
    withLife(environment(), { turn, settle: { publish: PUBLISHED } }, async (life) => {
      await work(life);
      await noTaskFailed(life.handle);
    });

  async function noTaskFailed(handle: WorkflowHandle): Promise<void> {
    const { events } = await handle.fetchHistory();
    const failed = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: at }) =>
      at === null || at === undefined || at.failure?.resetWorkflowFailureInfo !== undefined ? [] : [at],
    );
    const real = failed.filter(({ cause }) => String(cause) !== 'RESET_WORKFLOW' && Number(cause) !== 11);
    assert.deepEqual(real, []);
  }

  it('Request cancellation destroys a frozen run, and its result says what it came to', () =>
    withRun(async (life) => {
      const { handle, fake } = life;
      await life.frozen();
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

  it('Call Stack names the lines of the sources', () =>
    withRun(async (life) => {
      await life.frozen();
      const stack = await life.handle.query<string>('__stack_trace');
      assert.match(stack, /src\/workflows\/issue\.workflow\.ts:\d+/);
      await life.destroy();
    }));

  it('Request cancellation stops an agent that runs, settles its turn and destroys the run', () =>
    withRun(
      async (life) => {
        const { handle, fake } = life;
        await life.running();
        await handle.cancel();
        await handle.result();
        assert.deepEqual(
          fake.recorded.map(({ result }) => result?.stopped),
          ['closed'],
        );
        assert.equal(fake.destroyed.length, 1);
      },
      // As the host does: it stops the container when the watching is cancelled.
      () =>
        untilCalledOff().catch(() => ({
          exitCode: 143,
          stopped: 'closed',
        })),
    ));

  it('Send signal with anything leaves a note in the timeline, and the run goes on', () =>
    withRun(async (life) => {
      const { handle, fake } = life;
      await life.frozen();
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
      await life.comments(1);
      await life.frozen(2);
      const notes = await life.timeline();
      assert.equal(notes.filter((what) => what.includes('was not understood')).length, odd.length);
      assert.equal(fake.ran.length, 2);
      await life.destroy();
    }));

  it('Send signal with what the SDK itself cannot take leaves a note, too', () =>
    withRun(async (life) => {
      const { handle, fake } = life;
      await life.frozen();
      const protobuf = { metadata: { encoding: Buffer.from('json/protobuf') }, data: Buffer.from('{}') };
      const noJson = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('hello') };
      const readable = defaultPayloadConverter.toPayload({});
      const odd: readonly (readonly [string, readonly Payload[]])[] = [
        ['pr_comment', [protobuf]],
        ['pr_comment', [noJson]],
        ['pr_comment', [{ metadata: {}, data: Buffer.from('hello') }]],
        ['pr_comment', [{}]],
        ['pr_comment', [readable, protobuf]],
        ['__temporal_x', [readable]],
        ['__temporal_x', [protobuf]],
        ['__stack_trace', [protobuf]],
      ];
      for (const [signalName, payloads] of odd)
        await life.client.workflowService.signalWorkflowExecution({
          namespace: life.client.options.namespace,
          workflowExecution: { workflowId: handle.workflowId },
          signalName,
          input: { payloads: [...payloads] },
          requestId: randomUUID(),
        });
      await life.comments(1);
      await life.frozen(2);
      const notes = (await life.timeline()).filter((what) => what.includes('was not understood'));
      assert.equal(notes.length, odd.length);
      assert.ok(
        notes.some((what) => what.startsWith('signal ?__temporal_x was')),
        notes.join('\n'),
      );
      assert.equal(fake.ran.length, 2);
      await life.destroy();
      assert.equal(await replayed('odd signals', await handle.fetchHistory()), undefined);
    }));

  it('Send update by a command’s name needs no CLI of ours, and says why when it is refused', () =>
    withRun(async (life) => {
      const { handle } = life;
      await life.frozen();
      const { phase } = await handle.executeUpdate<{ phase: string }, []>('freeze');
      assert.equal(phase, 'frozen');
      const refused: readonly (readonly [string, unknown, RegExp])[] = [
        ['extend', undefined, /"ms" is missing/],
        ['extend', { ms: 60_000 }, /no turn is running/],
        ['budget', null, /say by what/],
        ['done', 7, /takes a JSON object/],
        ['freeze', { until: 1 }, /its sender stopped waiting/],
        ['openPr', null, /it is no request/],
        ['event', {}, /not found|unknown|no registered/i],
      ];
      for (const [name, input, why] of refused)
        await assert.rejects(
          handle.executeUpdate(name, { args: [input] }),
          (error: unknown) => error instanceof WorkflowUpdateFailedError && why.test(String(error.cause)),
          name,
        );
      await handle.executeUpdate<unknown, [object]>('resume', { args: [{}] });
      await life.frozen(2);
      await handle.executeUpdate<unknown, []>('destroy');
      await handle.result();
    }));

  it('Reset to any workflow task ends where the run would have ended', async function () {
    this.timeout(180_000);
    await withRun(async (life) => {
      const { handle, fake } = life;
      await life.frozen();
      await life.comments(1);
      await life.frozen(2);
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
        await life.frozen(2);
        const view = await life.view();
        assert.deepEqual(
          [view.reason, view.prs, view.mailbox],
          ['done', [13], 0],
          `reset to ${String(eventId)}`,
        );
      }
      await life.destroy();
      assert.equal(new Set(fake.ran.map(({ slug }) => slug)).size, 1, 'one run, whatever was reset');
    });
  });

  it('Pause of the activity that watches a turn hands it to another watcher', () => {
    let watching = 0;
    return withRun(
      async (life) => {
        const { handle } = life;
        await waitUntil('the agent', () => watching === 1);
        const { connection } = environment();
        await connection.workflowService.pauseActivity({
          namespace: 'default',
          execution: { workflowId: handle.workflowId },
          type: 'launchBottle',
          reason: 'a test',
        });
        await life.frozen();
        assert.equal(watching, 2);
        await life.destroy();
      },
      () => {
        watching += 1;
        if (activityInfo().activityType === 'reattachBottle') return DONE;
        // As the host does: whoever is paused lets go of the turn, and its container goes on.
        return untilCalledOff().catch(() => {
          throw ApplicationFailure.nonRetryable('paused', 'TurnDetached');
        });
      },
    );
  });
});
