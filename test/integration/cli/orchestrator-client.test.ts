import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { CliError, UnreachableError } from '../../../src/cli/base/errors.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { orchestratorClient } from '../../../src/cli/runs/orchestrator-client.js';
import type { Orchestrator } from '../../../src/cli/base/orchestrator.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { ISSUE_WORKFLOW, stateQuery, TASK_QUEUE } from '../../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../../support/machine/world.js';
import { ScriptedActivities } from '../../support/temporal/scripted-activities.js';
import type { TurnScript } from '../../support/temporal/scripted-activities.js';
import { waitUntil } from '../../support/stack/stack.js';
import { localServer } from '../../support/temporal/local-server.js';
import { withWorkers } from '../../support/temporal/time-skipping.js';
import { order, send } from '../../support/temporal/send.js';
import { stateRow } from '../../support/webhook/rows.js';

const OPTIONS = { agent: null, bottles: [], prompt: null, label: null } as const;

describe('the commands’ orchestrator over a real workflow', function () {
  this.timeout(90_000);
  const environment = localServer();
  let directory: string;
  let database: Database;
  let prompts: string[];
  let number = 7_000;
  let subject: SubjectRef;

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'bot-bottle-cli-'));
    database = await openDatabase(path.join(directory, 'bot-bottle.db'));
    prompts = [];
    number += 1;
    subject = { ...SUBJECT, number };
  });
  afterEach(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
    // Tests that never started a workflow have none to end.
    await environment()
      .client.workflow.getHandle(workflowIdOf(subject))
      .terminate()
      .catch(() => undefined);
  });

  const orchestrator = (callMs = 15_000): Orchestrator =>
    orchestratorClient({
      client: environment().client,
      database,
      by: 'alice@desk',
      callMs,
      rejections: () => Promise.resolve([]),
      triggerLocal: () => Promise.reject(new Error('unexpected triggerLocal')),
      fetchCommand: () => null,
      storeText: (text) => Promise.resolve(`ref-${String(prompts.push(text))}`),
      readText: () => Promise.reject(new Error('unexpected readText')),
      trigger: async (asked) => {
        await environment().client.workflow.signalWithStart(ISSUE_WORKFLOW, {
          workflowId: workflowIdOf(asked),
          taskQueue: TASK_QUEUE,
          args: [{ subject: asked, policy: DEFAULT_POLICY }],
          signal: 'observed',
          signalArgs: [observed({ readAt: 6, trigger: trigger(5) })],
        });
        return { kind: 'sent' };
      },
      close: () => Promise.resolve(),
    });

  /** The row that the worker would have written. */
  const addRow = async (slug: string, prNumber: number | null = null): Promise<void> =>
    database.forgeState.upsert(stateRow({ issueNumber: subject.number, slug, prNumber }));

  /** What an agent's container does first. */
  const began = async (turn: number): Promise<WorkflowHandle> => {
    const handle = environment().client.workflow.getHandle(workflowIdOf(subject));
    const { slug } = await handle.query(stateQuery);
    await send(handle, { kind: 'turn_started', slug: slug ?? '', turn, at: 0 });
    return handle;
  };

  const turns = (exitCodes: readonly number[]): { readonly fake: ScriptedActivities } => {
    const script = (turn: number): TurnScript => ({
      run: async () => {
        await began(turn);
        const done = { id: `d${String(turn)}`, status: 'success', summaryRef: 'r' } as const;
        return { exitCode: exitCodes[turn - 1] ?? 0, done };
      },
      settle: { publish: { kind: 'published', pr: 13, prUrl: 'u', head: 'h', created: true } },
    });
    return { fake: new ScriptedActivities(script) };
  };

  it('gives no word for an ended run to the next one under its workflow’s id', async () => {
    const { fake } = turns([0]);
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      const next = await client.start(subject, OPTIONS);
      assert.ok(next.kind === 'started');
      const ended = stateRow({ issueNumber: subject.number, slug: 'p-a-b-1-ended', status: 'destroyed' });
      await database.forgeState.upsert(ended);
      const target = { kind: 'slug', slug: ended.slug } as const;
      const refused = { kind: 'refused', reason: `${ended.slug} has ended` };
      assert.deepEqual(await client.command(target, { kind: 'destroy' }), refused);
      assert.deepEqual(await client.resume(ended.slug, 'go on'), refused);
      const handle = environment().client.workflow.getHandle(workflowIdOf(subject));
      assert.equal((await handle.query(stateQuery)).slug, next.slug);
    });
  });

  it('starts, waits, resumes with a stored prompt, and hands the agent’s exit code on', async () => {
    const { fake } = turns([0, 42]);
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      assert.equal(started.turn, 1);
      await addRow(started.slug);
      const first = await client.waitForTurn(started);
      assert.deepEqual([first.exitCode, first.doneStatus, first.pr], [0, 'success', 13]);

      const again = await client.start(subject, OPTIONS);
      assert.ok(again.kind === 'refused');
      assert.match(again.reason, /orchestrate resume --slug/);

      const resumed = await client.resume(started.slug, 'go on');
      assert.deepEqual(resumed, { ...started, turn: 2 });
      assert.deepEqual(prompts, ['go on']);
      assert.equal((await client.waitForTurn({ ...started, turn: 2 })).exitCode, 42);
      assert.equal(fake.ran.length, 2);
      assert.deepEqual(
        fake.commanded.map(({ who, kind, detail }) => [who, kind, detail]),
        [['alice@desk', 'resume', { promptRef: 'ref-1' }]],
      );
    });
  });

  it('follows a turn through its nudge, until the run rests, and says how that ended', async () => {
    const fake = new ScriptedActivities((turn) => ({
      run: async () => {
        await began(turn);
        return { exitCode: 0 };
      },
    }));
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      const ended = await client.waitForTurn(started);
      assert.deepEqual(ended, {
        turn: 2,
        exitCode: 0,
        reason: 'incomplete',
        detail: null,
        stopped: null,
        doneStatus: null,
        sessionId: 's',
        pr: null,
        fetch: null,
        prs: [],
      });
      assert.deepEqual(
        fake.prepared.map(({ cause }) => cause.kind),
        ['first', 'nudge'],
      );
    });
  });

  it('a turn that the operator froze before its agent began ends the wait as not run', async () => {
    const { fake } = turns([]);
    let paused: () => void = () => undefined;
    const frozen = new Promise<void>((resolve) => (paused = resolve));
    const { prepareTurn } = fake.activities;
    const activities = {
      ...fake.activities,
      prepareTurn: async (input: Parameters<typeof prepareTurn>[0]) => {
        await frozen;
        return prepareTurn(input);
      },
    };
    await withWorkers(environment(), activities, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      await client.command({ kind: 'subject', subject }, { kind: 'freeze' });
      paused();
      const { turn, exitCode, reason } = await client.waitForTurn(started);
      assert.deepEqual([turn, exitCode, reason], [1, null, 'paused']);
    });
  });

  it('a run that was destroyed meanwhile ended as closed', async () => {
    const fake = new ScriptedActivities((turn) => ({
      run: async (_input, activity) => {
        const handle = await began(turn);
        await order(handle, { kind: 'destroy' });
        activity.heartbeat();
        await activity.cancelled.catch(() => undefined);
        return { exitCode: 143, stopped: 'closed' };
      },
    }));
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      const { reason, exitCode, stopped } = await client.waitForTurn(started);
      assert.deepEqual([reason, exitCode, stopped], ['closed', 143, 'closed']);
    });
  });

  it('a command is refused with the workflow’s own reason, and accepted by issue, PR number and slug', async () => {
    const { fake } = turns([0]);
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      await addRow(started.slug, 90_001);
      await client.waitForTurn(started);
      const byPr = { kind: 'subject', subject: { ...subject, number: 90_001 } } as const;
      const refused = await client.command(byPr, { kind: 'extend', ms: 1_000 });
      assert.deepEqual(refused, { kind: 'refused', reason: 'no turn is running (frozen)' });
      const paused = await client.command({ kind: 'subject', subject }, { kind: 'freeze' });
      assert.deepEqual(paused, { kind: 'accepted', slug: started.slug, phase: 'frozen' });
      const ended = await client.command({ kind: 'slug', slug: started.slug }, { kind: 'destroy' });
      assert.equal(ended.kind, 'accepted');
      await environment().client.workflow.getHandle(workflowIdOf(subject)).result();
      assert.deepEqual(await client.command({ kind: 'subject', subject }, { kind: 'freeze' }), {
        kind: 'refused',
        reason: `${started.slug} has ended`,
      });
    });
  });

  it('what nobody has is not found', async () => {
    const client = orchestrator();
    assert.deepEqual(await client.resume('nobody-1-abcde', 'x'), { kind: 'not_found' });
    assert.deepEqual(await client.command({ kind: 'slug', slug: 'nobody-1-abcde' }, { kind: 'done' }), {
      kind: 'not_found',
    });
    assert.deepEqual(await client.command({ kind: 'subject', subject }, { kind: 'done' }), {
      kind: 'not_found',
    });
    assert.deepEqual(prompts, []);
  });

  it('a turn that could not be prepared ends the wait with its reason', async () => {
    const { fake } = turns([]);
    fake.refusal = 'the base branch is gone';
    await withWorkers(environment(), fake.activities, async () => {
      const client = orchestrator();
      // The refusal may come before or after the command has seen the slug; it is told either way.
      const started = await client.start(subject, OPTIONS);
      if (started.kind === 'refused') {
        assert.match(started.reason, /base branch is gone/);
        return;
      }
      await assert.rejects(
        client.waitForTurn(started),
        (error: unknown) =>
          error instanceof CliError &&
          error.exitCode === EXIT.failed &&
          error.message.includes('base branch is gone'),
      );
    });
  });

  it('without a worker a command says so instead of waiting for ever', async () => {
    await assert.rejects(
      orchestrator(1_000).start(subject, OPTIONS),
      (error) => error instanceof UnreachableError && error.message.includes('begins as soon as one runs'),
    );
  });

  it('lists active runs from their rows, destroyed ones only when asked', async () => {
    await addRow('coder-alice-demo-1-abcde');
    const client = orchestrator();
    const [row] = await client.status({ all: false });
    assert.equal(row?.slug, 'coder-alice-demo-1-abcde');
    assert.equal(row.session, null);
    const { issue, bottles, backend, gitUser, status, phase, stale } = row;
    assert.deepEqual(
      [issue, bottles, backend, gitUser, status, phase],
      [
        `alice/demo#${String(subject.number)}`,
        ['default', 'node'],
        'docker',
        'Coder <coder@example.org>',
        'running',
        'running',
      ],
    );
    assert.equal(stale, true, 'no workflow says so');
    for (const [turn, sessionId] of ['s-old', 's-new'].entries()) {
      const ended = { slug: row.slug, turn: turn + 1, event: 'ended', at: turn } as const;
      await database.runs.appendTurn({ ...ended, detail: { sessionId } });
    }
    await database.sessions.update(row.slug, 5);
    const [later] = await client.status({ all: false });
    assert.equal(later?.session?.sessionId, 's-new');
    const stored = await database.forgeState.get(subject);
    assert.ok(stored);
    await database.forgeState.upsert({ ...stored, status: 'destroyed', phase: 'destroyed' });
    assert.deepEqual(await client.status({ all: false }), []);
    const all = await client.status({ all: true });
    assert.deepEqual(
      all.map((one) => [one.status, one.stale]),
      [['destroyed', false]],
    );
  });

  it('shows the step that is tried again, how often, and the last error, and destroys the run all the same', async () => {
    const fake = new ScriptedActivities(() => ({ run: () => Promise.resolve({}) }));
    const away = (): Promise<never> => Promise.reject(new Error('no Docker engine answers'));
    await withWorkers(environment(), { ...fake.activities, freezeBottle: away }, async () => {
      const client = orchestrator();
      const started = await client.start(subject, OPTIONS);
      assert.ok(started.kind === 'started');
      await addRow(started.slug);
      await waitUntil('the second attempt', async () => {
        const [run] = await client.status({ all: false });
        return (run?.step?.attempt ?? 0) > 1;
      });
      const [run] = await client.status({ all: false });
      assert.deepEqual([run?.step?.activity, run?.step?.error], ['freezeBottle', 'no Docker engine answers']);
      await client.command({ kind: 'slug', slug: started.slug }, { kind: 'destroy' });
      await environment().client.workflow.getHandle(workflowIdOf(subject)).result();
    });
    assert.equal(fake.destroyed.length, 1);
  });
});
