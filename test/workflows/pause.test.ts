import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/activity';
import { changePause } from '../../src/activities/change-pause.js';
import type { RunTurnInput } from '../../src/activities/ports/inputs.js';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { changePause as askFor } from '../../src/cli/runs/change-pause.js';
import { UnreachableError } from '../../src/cli/base/errors.js';
import { workflowIdOf, type SubjectRef } from '../../src/domain/forge/issue.js';
import { pauseOf, pauseText } from '../../src/domain/run/pause.js';
import type { Database } from '../../src/domain/run/stores.js';
import { stateQuery, type PauseOrder, type RunView } from '../../src/workflows/messages.js';
import { PREPARED, SUBJECT } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities, untilCalledOff } from '../support/temporal/scripted-activities.js';
import { withWorkers, type AllActivities } from '../support/temporal/time-skipping.js';
import { askForRun, send } from '../support/temporal/send.js';
import { useNewPaths } from '../support/webhook/temp-dir.js';

describe('pausing new turns, on the real server over a real database', function () {
  this.timeout(60_000);
  const server = localServer();
  const newPath = useNewPaths();
  let database: Database;
  let number = 300;

  beforeEach(async () => {
    database = await openDatabase(newPath());
  });
  afterEach(() => database.close());

  const ask = (action: PauseOrder['action'], scope = '*', callMs = 15_000): ReturnType<typeof askFor> =>
    askFor({ client: server().client, callMs }, { action, scope, by: 'alice@desk' });

  async function start(): Promise<SubjectRef> {
    const subject = { ...SUBJECT, number: (number += 1) };
    await askForRun(server().client, subject);
    return subject;
  }

  const view = (subject: SubjectRef): Promise<RunView> =>
    server().client.workflow.getHandle(workflowIdOf(subject)).query(stateQuery);
  const until = (subject: SubjectRef, what: string, condition: (one: RunView) => boolean): Promise<void> =>
    waitUntil(what, async () => condition(await view(subject)), 20_000);
  const end = (subject: SubjectRef): Promise<unknown> =>
    server().client.workflow.getHandle(workflowIdOf(subject)).terminate();

  /** Rows and pauses are real; `beforeAnswer` is called between the look at the pauses and the answer. */
  function world(beforeAnswer: () => Promise<void> = () => Promise.resolve()): {
    readonly activities: AllActivities;
    readonly fake: ScriptedActivities;
  } {
    const fake: ScriptedActivities = new ScriptedActivities(() => ({
      run: async (input: RunTurnInput) => {
        const { slug, turn, workflowId } = input;
        // As the host does: what is paused is called off while it waits to begin.
        if ((await database.pauses.all()).length > 0) {
          await untilCalledOff().catch(() => undefined);
          throw ApplicationFailure.nonRetryable('the turn was stopped before it began', 'turn_not_begun');
        }
        const handle = server().client.workflow.getHandle(workflowId);
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        return DONE;
      },
    }));
    const prepareTurn: AllActivities['prepareTurn'] = async (input) => {
      fake.prepared.push(input);
      const { slug, subject, workflowId } = input;
      await database.runs.appendRun({
        ...{ slug, workflowId, subject: 'alice/demo', agentName: 'implementer', bottleNames: [] },
        ...{ triggerActor: 'alice', triggerAt: 5, triggerActId: 0, createdAt: 5 },
      });
      await database.forgeState.upsert({
        ...{ ...subject, issueNumber: subject.number, slug, agentName: 'implementer', bottleNames: [] },
        ...{ backendName: 'docker', agentGitUser: 'bot', prNumber: null, status: 'running' },
        ...{ lastCheckinAt: null, phase: 'launching', reason: null, repoId: 7, host: null, branch: 'b' },
        ...{ issueUrl: 'http://forge.invalid/1', prUrl: null, updatedAt: 0, destroyedAt: null, workflowId },
      });
      const pause = pauseOf(await database.pauses.all(), subject);
      await beforeAnswer();
      if (pause !== undefined) return { kind: 'paused', reason: pauseText(pause) };
      return { kind: 'ready', prepared: PREPARED };
    };
    const recordState: AllActivities['recordState'] = async ({ slug, snapshot }) => {
      const row = await database.forgeState.ofRun(slug);
      if (row !== undefined)
        await database.forgeState.upsert({
          ...row,
          status: snapshot.phase === 'frozen' ? 'frozen' : 'running',
          reason: snapshot.reason,
        });
    };
    const activities: AllActivities = {
      ...fake.activities,
      prepareTurn,
      recordState,
      changePause: (input) => changePause({ database }, input),
    };
    return { activities, fake };
  }

  it('holds back what would begin, and lets it begin; rows say who did it', async () => {
    const { activities, fake } = world();
    await withWorkers(server(), activities, async () => {
      const paused = await ask('pause');
      assert.ok(!('kind' in paused) && paused.changed);
      const subject = await start();
      await until(subject, 'held back', ({ phase, reason }) => phase === 'frozen' && reason === 'paused');
      assert.match((await view(subject)).detail ?? '', /paused by alice@desk since .*: bot-bottle unpause$/);
      assert.deepEqual(fake.ran, []);
      const lifted = await ask('unpause');
      assert.ok(!('kind' in lifted) && lifted.changed && lifted.pauses.length === 0);
      await until(subject, 'done', ({ phase, reason }) => phase === 'frozen' && reason === 'done');
      assert.equal(fake.ran.length, 1);
      await end(subject);
    });
    assert.deepEqual(
      (await database.operatorLog.latest(9)).map(({ who, kind, detail, workflowId }) => [
        who,
        kind,
        detail,
        workflowId,
      ]),
      [
        ['alice@desk', 'unpause', { scope: '*' }, 'pause:*'],
        ['alice@desk', 'pause', { scope: '*' }, 'pause:*'],
      ],
    );
  });

  it('forgets no run that finds the pause just before it is lifted', async () => {
    let isLifted = false;
    // The answer "paused" is under way while all of `unpause` happens.
    const { activities, fake } = world(async () => {
      if (isLifted) return;
      isLifted = true;
      await ask('unpause');
    });
    await withWorkers(server(), activities, async () => {
      await ask('pause');
      const subject = await start();
      await until(subject, 'done', ({ phase, reason }) => phase === 'frozen' && reason === 'done');
      assert.equal(fake.ran.length, 1);
      assert.equal(fake.prepared.length, 2);
      await end(subject);
    });
  });

  it('holds back the run that was prepared just before the pause', async () => {
    let isPaused = false;
    const { activities, fake } = world(async () => {
      if (isPaused) return;
      isPaused = true;
      await ask('pause');
    });
    await withWorkers(server(), activities, async () => {
      const subject = await start();
      await until(subject, 'held back', ({ phase, reason }) => phase === 'frozen' && reason === 'paused');
      assert.equal(fake.settled.length, 0);
      await ask('unpause');
      await until(subject, 'done', ({ phase, reason }) => phase === 'frozen' && reason === 'done');
      await end(subject);
    });
  });

  it('of a repository holds back that one’s runs, also when that of all is lifted', async () => {
    const { activities } = world();
    await withWorkers(server(), activities, async () => {
      await ask('pause', 'alice/demo');
      await ask('pause');
      const subject = await start();
      await until(subject, 'held back', ({ phase }) => phase === 'frozen');
      const answer = await ask('unpause');
      assert.ok(!('kind' in answer));
      assert.deepEqual(
        answer.pauses.map(({ scope }) => scope),
        ['alice/demo'],
      );
      assert.equal((await view(subject)).reason, 'paused');
      await ask('unpause', 'alice/demo');
      await until(subject, 'done', ({ reason }) => reason === 'done');
      await end(subject);
    });
  });

  it('is asked for while the worker is away: that is said, it comes later, and the latest word counts', async () => {
    await assert.rejects(ask('pause', '*', 1_000), (error: unknown) => {
      assert.ok(error instanceof UnreachableError);
      assert.match(error.message, /as soon as it runs/);
      return true;
    });
    await assert.rejects(ask('pause', 'alice/demo', 1_000), UnreachableError);
    await assert.rejects(ask('unpause', 'alice/demo', 1_000), UnreachableError);
    await withWorkers(server(), world().activities, async () => {
      await waitUntil('paused', async () => (await database.pauses.all()).length === 1, 20_000);
      await server().client.workflow.getHandle('pause:alice/demo').result();
    });
    assert.deepEqual(
      (await database.pauses.all()).map(({ scope }) => scope),
      ['*'],
    );
  });

  it('twice at once is fine', async () => {
    await withWorkers(server(), world().activities, async () => {
      const answers = await Promise.all([ask('pause'), ask('pause')]);
      assert.ok(answers.some((answer) => !('kind' in answer)));
      assert.equal((await database.pauses.all()).length, 1);
    });
  });
});
