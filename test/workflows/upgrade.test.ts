import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { DEFAULT_POLICY, type RunPolicy } from '../../src/domain/run/run-policy.js';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { ISSUE_WORKFLOW, STATE_VERSION, stateQuery } from '../../src/workflows/messages.js';
import { comment, modelReport, SUBJECT, wrote } from '../support/machine/world.js';
import { plays } from '../support/scale/plays.js';
import { waitUntil } from '../support/stack/stack.js';
import { deployVersion, SOON_DRAINED, type Deployment } from '../support/temporal/deploy-version.js';
import { DONE } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { nextVersionCode } from '../support/temporal/next-version.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { askForRun, order, send } from '../support/temporal/send.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const NEXT = STATE_VERSION + 1;
const SLOTS = 4;
const LONG_MS = 60_000;
/** `temporal.api.enums.v1.WorkflowTaskFailedCause` */
const UNHANDLED_COMMAND = 1;

describe('an upgrade', function () {
  this.timeout(120_000);
  const environment = localServer(...SOON_DRAINED);
  let home: string;
  let code: { readonly now: string; readonly next: string };
  /** Numbers of the issues whose first turn goes on until its gate is opened, or ends at the provider's limit. */
  let held: Map<number, Gate>;
  let limitedUntil: Map<number, number>;
  let fake: ScriptedActivities;
  let deployed: Deployment[];

  before(async () => {
    code = { now: (await workflowBundle()).code, next: await nextVersionCode() };
  });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-upgrade-'));
    held = new Map();
    limitedUntil = new Map();
    fake = new ScriptedActivities((turn) => ({ run: (input) => watched(turn, input) }));
    deployed = [];
  });
  afterEach(async () => {
    for await (const { workflowId } of environment().client.workflow.list({
      query: `ExecutionStatus = 'Running' AND WorkflowType = '${ISSUE_WORKFLOW}'`,
    }))
      await handleOf(workflowId).terminate();
    await Promise.all(deployed.map((deployment) => deployment.stop()));
    await rm(home, { recursive: true });
  });

  async function watched(turn: number, input: RunTurnInput): Promise<Partial<TurnResult>> {
    const { workflowId, slug } = input;
    await send(handleOf(workflowId), { kind: 'turn_started', slug, turn, at: 0 });
    const number = Number(workflowId.split('#')[1]);
    const until = limitedUntil.get(number);
    if (turn === 1 && until !== undefined)
      return { exitCode: 1, model: modelReport(1, 0, { kind: 'limited', until }) };
    if (turn === 1) await stillWatched(held.get(number)?.opened);
    return DONE;
  }

  async function stillWatched(until: Promise<void> | undefined): Promise<void> {
    const { cancelled, heartbeat } = Context.current();
    const beat = setInterval(heartbeat, 1_000);
    try {
      await Promise.race([until, cancelled]);
    } catch {
      throw ApplicationFailure.nonRetryable('the worker stops', 'TurnDetached');
    } finally {
      clearInterval(beat);
    }
  }

  async function deploy(
    which: 'now' | 'next',
    { policy = DEFAULT_POLICY, isHandedOver = true }: { policy?: RunPolicy; isHandedOver?: boolean } = {},
  ): Promise<Deployment> {
    const { client, address } = environment();
    const deployment = await deployVersion({
      client,
      address,
      home,
      code: code[which],
      stateVersion: which === 'now' ? STATE_VERSION : NEXT,
      slots: SLOTS,
      activities: fake.activities,
      ...(isHandedOver ? { policy } : {}),
    });
    deployed.push(deployment);
    return deployment;
  }

  function handleOf(workflowId: string): WorkflowHandle {
    return environment().client.workflow.getHandle(workflowId);
  }

  async function start(from: number, count: number): Promise<WorkflowHandle[]> {
    const { client } = environment();
    return Promise.all(
      Array.from({ length: count }, (_, index) => askForRun(client, { ...SUBJECT, number: from + index })),
    );
  }

  function hold(from: number, count: number): void {
    for (let number = from; number < from + count; number += 1) held.set(number, new Gate());
  }

  async function allAre(runs: readonly WorkflowHandle[], phase: string, turn: number): Promise<void> {
    for (const run of runs)
      await waitUntil(
        `${run.workflowId} to be ${phase} in turn ${String(turn)}`,
        async () => {
          const view = await run.query(stateQuery);
          return view.phase === phase && view.turn === turn;
        },
        LONG_MS,
      );
  }

  async function buildIdsOf(runs: readonly WorkflowHandle[]): Promise<readonly unknown[]> {
    const described = await Promise.all(runs.map((run) => run.describe()));
    return described.map(({ raw }) => raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId);
  }

  /** Every execution of it: no task of it failed. */
  async function noTaskFailed(run: WorkflowHandle): Promise<void> {
    const { client } = environment();
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${run.workflowId}'` })) {
      const { events } = await client.workflow.getHandle(run.workflowId, runId).fetchHistory();
      const failed = events?.flatMap(({ workflowTaskFailedEventAttributes: at }) =>
        at === null || at === undefined ? [] : [Number(at.cause)],
      );
      // A signal that came while the execution was to be ended: it goes on with it.
      assert.deepEqual(
        failed?.filter((cause) => cause !== UNHANDLED_COMMAND),
        [],
        run.workflowId,
      );
    }
  }

  it('to a version that replays no history takes every run over: frozen, running, waiting for a slot, asleep', async () => {
    const before = await deploy('now');
    const frozen = await start(1_000, plays(25));
    await allAre(frozen, 'frozen', 1);
    const wakesAt = Date.now() + 25_000;
    for (let number = 2_000; number < 2_003; number += 1) limitedUntil.set(number, wakesAt);
    const asleep = await start(2_000, 3);
    await allAre(asleep, 'frozen', 1);
    hold(3_000, SLOTS + 3);
    const running = await start(3_000, SLOTS);
    await allAre(running, 'running', 1);
    const waiting = await start(3_000 + SLOTS, 3);
    await allAre(waiting, 'launching', 1);
    const all = [...frozen, ...asleep, ...running, ...waiting];
    const [first] = frozen;
    assert.ok(first !== undefined);
    await isIncompatible(first);
    await before.stop();

    const after = await deploy('next');
    assert.deepEqual(after.workers.earlier, [before.buildId]);
    await waitUntil(
      'frozen runs to go over by themselves',
      async () => (await buildIdsOf([...frozen, ...asleep])).every((id) => id === after.buildId),
      LONG_MS,
    );
    for (const run of frozen) await send(run, wrote(comment(1)));
    await allAre(frozen, 'frozen', 2);
    assert.deepEqual(new Set(await buildIdsOf([...running, ...waiting])), new Set([before.buildId]));
    for (const gate of held.values()) gate.open();
    await allAre([...running, ...waiting], 'frozen', 1);
    await allAre(asleep, 'frozen', 2);
    await waitUntil(
      'the earlier version to be drained',
      async () => !(await readdir(join(home, 'workflows'))).includes(`${before.buildId}.js`),
      LONG_MS,
    );
    assert.deepEqual(after.workers.earlier, []);
    assert.deepEqual(new Set(await buildIdsOf(all)), new Set([after.buildId]));
    for (const run of all)
      assert.equal((await run.query(stateQuery)).subject.repo, `migrated from ${String(STATE_VERSION)}`);
    for (const run of all) {
      await order(run, { kind: 'destroy' });
      await run.result();
      await noTaskFailed(run);
    }
    assert.equal(fake.destroyed.length, all.length);
  });

  async function isIncompatible(run: WorkflowHandle): Promise<void> {
    const results = Worker.runReplayHistories({ workflowBundle: { code: code.next } }, [
      { workflowId: run.workflowId, history: await run.fetchHistory() },
    ]);
    for await (const { error } of results) assert.match(String(error), /[Dd]eterminism/);
  }

  it('is taken back as long as no run went over, and is refused clearly from then on', async () => {
    const first = await deploy('now');
    const [run] = await start(4_000, 1);
    assert.ok(run !== undefined);
    await allAre([run], 'frozen', 1);
    await first.stop();
    await (await deploy('next', { isHandedOver: false })).stop();

    const back = await deploy('now');
    await send(run, wrote(comment(1)));
    await allAre([run], 'frozen', 2);
    assert.deepEqual(await buildIdsOf([run]), [first.buildId]);
    await back.stop();

    const next = await deploy('next');
    await waitUntil('the run to go over', async () => (await buildIdsOf([run]))[0] === next.buildId);
    await next.stop();
    await assert.rejects(deploy('now'), {
      code: 'later_version',
      message: new RegExp(
        `^${run.workflowId} was taken over by a later version .*${next.buildId}.*: start that version`,
      ),
    });

    await deploy('next');
    await send(run, wrote(comment(2)));
    await allAre([run], 'frozen', 3);
    await order(run, { kind: 'destroy' });
    await run.result();
    await noTaskFailed(run);
  });

  it('of the settings alone reaches open runs', async () => {
    const first = await deploy('now');
    await waitUntil('nobody to be left to tell', async () =>
      (await readdir(join(home, 'workflows'))).includes('told-settings.json'),
    );
    const [run] = await start(5_000, 1);
    assert.ok(run !== undefined);
    await allAre([run], 'frozen', 1);
    await first.stop();
    const policy = { ...DEFAULT_POLICY, budget: { ...DEFAULT_POLICY.budget, turns: 7 } };
    const second = await deploy('now', { policy });
    await waitUntil('the settings', async () => (await run.query(stateQuery)).budget.turns === 7);
    await second.stop();
    await deploy('now', { policy });
    await order(run, { kind: 'destroy' });
    await run.result();
    const { events } = await run.fetchHistory();
    const told = events?.filter(
      ({ workflowExecutionSignaledEventAttributes: at }) => at?.signalName === 'settings',
    );
    assert.equal(told?.length, 1, 'once, not at each start of a worker');
  });
});
