import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { breakdown, countKinds, isSet } from '../../bench/base/history-events.js';
import { dockerBottleRuntime } from '../../src/adapters/docker/docker-runtime.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import type { Statement } from '../../src/domain/provenance/seal.js';
import type { RecordedRow, RunRecord } from '../../src/domain/provenance/record.js';
import type { Verdict } from '../../src/domain/provenance/verify-record.js';
import { stateQuery, type RunView } from '../../src/workflows/messages.js';
import { processesOf } from '../support/stack/processes.js';
import { StackFiles } from '../support/stack/stack-files.js';
import { waitUntil } from '../support/stack/stack.js';
import { useStack } from '../support/stack/use-stack.js';
import { runsAsUser } from '../support/unprivileged/runs-as-user.js';

/** The budget of history: what makes continue-as-new rare and a long-lived run cheap. */
const MAX_EVENTS_PER_TURN = 42;
/** Of one turn; it has about 20 KiB. */
const MAX_HISTORY_BYTES = 64 * 1024;

describe('the whole life of an issue, on real parts', function () {
  this.timeout(180_000);

  if (!runsAsUser()) return;

  const { stack, client } = useStack();

  it('goes from trigger to pull request, wakes in the same session for a comment, and is destroyed by the merge', async () => {
    const { alice, bot } = stack().gitea;
    const issue = await alice.createIssue({
      title: 'Write notes',
      body: 'Please write notes.',
      labels: ['bot-bottle:demo'],
      assignees: [bot.login],
    });
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: issue } as const;
    const files = new StackFiles(stack().home);
    // By the rows, not by polling queries, which now and then cost a workflow task.
    const frozen = async (turn: number): Promise<RunView> => {
      await waitUntil(`turn ${String(turn)} to be frozen`, async () => {
        const row = await files.stateRow(subject);
        return (
          row?.status === 'frozen' && (await files.endedTurns(row.slug)).some((one) => one.turn === turn)
        );
      });
      return client().workflow.getHandle(workflowIdOf(subject)).query(stateQuery);
    };
    const first = await frozen(1);
    assert.equal(first.reason, 'done', JSON.stringify(first));
    const [pr] = first.prs;
    assert.ok(pr !== undefined);
    await costsNothing(stack().home, first.slug ?? '', client().workflow.getHandle(workflowIdOf(subject)));
    await alice.comment(pr, 'Please add one more line.');
    const second = await frozen(2);
    assert.equal(second.sessionId, first.sessionId);
    const { events } = await client().workflow.getHandle(workflowIdOf(subject)).fetchHistory();
    const spent = events?.length ?? Infinity;
    assert.ok(spent <= 2 * MAX_EVENTS_PER_TURN, `${String(spent)} events in two turns`);
    await alice.mergePr(pr);
    await client().withDeadline(Date.now() + 60_000, () =>
      client().workflow.getHandle(workflowIdOf(subject)).result(),
    );
    const { typedSearchAttributes } = await client().workflow.getHandle(workflowIdOf(subject)).describe();
    const shown = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value] as const);
    const { BottlePhase, BottleSlug } = Object.fromEntries(shown);
    assert.deepEqual([BottlePhase, BottleSlug], ['destroyed', first.slug]);

    const slug = first.slug ?? '';
    const record = await stack().cli(['provenance', 'verify', slug, '--json']);
    const { ok, runs } = JSON.parse(record.stdout) as { ok: boolean; runs: readonly Verdict[] };
    assert.ok(ok, record.stdout);
    assert.ok(runs[0]?.ended && runs[0].sealed === runs[0].entries, record.stdout);
    const { rows } = JSON.parse(
      (await stack().cli(['provenance', 'show', slug, '--json'])).stdout,
    ) as RunRecord;
    recordedInFull(rows);
    const { stdout: exported } = await stack().cli(['provenance', 'export', slug]);
    const { payload } = JSON.parse(exported) as { readonly payload: string };
    const { subject: about } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as Statement;
    const commits = about.flatMap(({ digest }) => digest['gitCommit'] ?? []);
    assert.equal(commits.length, 2, JSON.stringify(about));
    for (const commit of commits) assert.match(commit, /^[0-9a-f]{40}$/);
  });
});

/** A frozen run has nothing running or open, but for a timer. */
async function costsNothing(home: string, slug: string, handle: WorkflowHandle): Promise<void> {
  const containers = await dockerBottleRuntime().list(slug);
  assert.deepEqual(
    containers.filter(({ running }) => running),
    [],
  );
  const processes = await processesOf(home);
  assert.deepEqual(
    processes.filter(({ argv }) => argv.some((one) => one.includes(slug))),
    [],
  );
  assert.deepEqual(await readdir(join(home, 'state', slug, 'turn')), [], 'the turn’s input');
  await waitUntil('no activity to be open', async () => {
    const { raw, historySize = Infinity } = await handle.describe();
    assert.ok(historySize < MAX_HISTORY_BYTES, `${String(historySize)} bytes of history`);
    return (raw.pendingActivities ?? []).length === 0;
  });
  const { events } = await handle.fetchHistory();
  const over = (events ?? []).filter(
    ({ timerFiredEventAttributes: fired, timerCanceledEventAttributes: canceled }) =>
      isSet(fired) || isSet(canceled),
  );
  assert.ok(countKinds(events ?? []).timers - over.length <= 1, breakdown(events ?? []));
}

/** What the specification wants recorded, in rows of two turns that really ran. */
function recordedInFull(rows: readonly RecordedRow[]): void {
  const of = (source: RecordedRow['source']): RecordedRow['columns'][] =>
    rows.filter((row) => row.source === source).map(({ columns }) => columns);
  const [run] = of('run');
  for (const name of ['subject', 'agentName', 'bottleNames', 'triggerActor', 'triggerAt', 'triggerActId'])
    assert.ok(run?.[name], name);
  const turns = of('turn').map(({ turn, event, at, detail }) => {
    const read = JSON.parse(String(detail)) as Record<string, unknown>;
    return { ...read, turn, event, at };
  }) as Record<string, unknown>[];
  assert.deepEqual(
    turns.map(({ turn, event }) => `${String(turn)} ${String(event)}`),
    ['1 begun', '1 ended', '2 begun', '2 ended'],
  );
  for (const turn of turns.filter(({ event }) => event === 'begun')) {
    assert.match(String(turn['promptHash']), /[0-9a-f]{64}/);
    for (const name of ['cause', 'provider', 'at']) assert.ok(turn[name], name);
    assert.ok('providerVersion' in turn);
  }
  for (const turn of turns.filter(({ event }) => event === 'ended')) {
    assert.match(String(turn['imageId']), /^sha256:[0-9a-f]{64}$/);
    assert.match(String(turn['transcriptHash']), /[0-9a-f]{64}/);
    for (const name of ['sessionId', 'startedAt', 'finishedAt', 'agent', 'host']) assert.ok(turn[name], name);
    const { exitCode, watchdogFired, reason, done, publish, secretScans } = turn;
    assert.deepEqual([exitCode, watchdogFired, reason], [0, false, 'done']);
    assert.equal((done as { status: string }).status, 'success');
    assert.equal((publish as { kind: string }).kind, 'published', JSON.stringify(publish));
    const [scan] = secretScans as { scanner: string; outcome: string }[];
    assert.ok(scan?.scanner.startsWith('gitleaks') && scan.outcome === 'clean', JSON.stringify(scan));
    for (const name of ['egress', 'model', 'stopped']) assert.ok(name in turn, name);
  }
  const operations = of('operation').map(({ operation }) => operation);
  for (const name of ['open_pr', 'signal_done']) assert.ok(operations.includes(name), name);
}
