import assert from 'node:assert/strict';
import { RECONCILE_SCHEDULE } from '../../src/adapters/temporal/pass-schedule.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import type { PassReport } from '../../src/domain/upkeep/reconcile.js';
import { RECONCILE_WORKFLOW, TASK_QUEUE } from '../../src/workflows/messages.js';
import { loadedModules, recordedWorker } from '../support/entries/entry-process.js';
import { textIn } from '../support/gitea/api.js';
import type { Person } from '../support/gitea/person.js';
import { plays } from '../support/scale/plays.js';
import { waitUntil } from '../support/stack/stack.js';
import { useStack } from '../support/stack/use-stack.js';
import { useTempDir } from '../support/webhook/temp-dir.js';

const ROUNDS = plays(20);

describe('a forge without any webhook, on real parts', function () {
  this.timeout(240_000);
  let bob: Person;
  const path = useTempDir();
  const { stack, client, open } = useStack(
    () => ({
      hook: false,
      env: { FORGE_POLL_INTERVAL: '1s', FORGE_REPOS: 'alice/*', ...recordedWorker(path('modules')) },
    }),
    async ({ gitea }) => {
      bob = await gitea.addPerson('bob', 'write');
    },
  );

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(new URL('/metrics', stack().webhookUrl))).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  async function pass(id: string): Promise<PassReport> {
    return (await client().workflow.execute(RECONCILE_WORKFLOW, {
      workflowId: `${RECONCILE_SCHEDULE}-${id}`,
      taskQueue: TASK_QUEUE,
    })) as PassReport;
  }

  it('goes from trigger to pull request, wakes for a comment and a review, and is destroyed by the merge', async () => {
    const { alice, bot } = stack().gitea;
    // Made before anything of ours was there to hear of it, and complete only later.
    const life = await open('Write notes', 'Please write notes.');
    const first = await life.frozen(1, 'done');
    const [pr] = first.prs;
    assert.ok(pr !== undefined);
    const comment = await alice.comment(life.issue, 'Please add one more line.');
    const second = await life.frozen(2, 'done');
    assert.equal(second.sessionId, first.sessionId);
    await bob.review(pr, { verdict: 'request_changes', body: 'Shorter, please.' });
    const third = await life.frozen(3, 'done');
    assert.deepEqual(third.prs, first.prs, 'one pull request');
    const pull = await alice.api.object('GET', `/repos/alice/demo/pulls/${String(pr)}`);
    await alice.setStatus(textIn(pull['head'] as Record<string, unknown>, 'sha'), 'build', 'failure');
    const fourth = await life.frozen(4, 'done');
    assert.match((await life.files.prompts(fourth.slug))[3] ?? '', /> \[build\] failure/);
    const prompts = await life.files.prompts(third.slug);
    assert.match(prompts[1] ?? '', /one more line/);
    assert.match(prompts[2] ?? '', /Shorter, please/);
    assert.equal(prompts.filter((prompt) => prompt.includes('one more line')).length, 1, String(comment));
    assert.ok(!prompts.some((prompt) => prompt.includes(`${bot.login} wrote`)));
    await alice.mergePr(pr);
    await life.ended();
    const row = await life.files.stateRow(life.subject);
    assert.deepEqual([row?.status, row?.prNumber], ['destroyed', pr]);
    const deliveries = await (await fetch(new URL('/metrics', stack().webhookUrl))).text();
    assert.match(deliveries, /deliveries_total\{outcome="accepted"\} \d+/);
  });

  it(`a pull request closed unmerged, with label and assignee left in place, stays destroyed over ${String(ROUNDS)} passes`, async () => {
    const { alice } = stack().gitea;
    const life = await open('Write other notes', 'Please write notes.');
    const frozen = await life.frozen(1, 'done');
    const [pr] = frozen.prs;
    assert.ok(pr !== undefined);
    await alice.closePr(pr);
    await life.ended();
    const handle = client().workflow.getHandle(workflowIdOf(life.subject));
    const { runId } = await handle.describe();
    await client().schedule.getHandle(RECONCILE_SCHEDULE).pause();
    const accepted = 'bot_bottle_webhook_deliveries_total\\{outcome="accepted"\\}';
    const before = await metric(accepted);
    let through = 0;
    for (let round = 0; through < ROUNDS; round += 1) {
      // What changes is looked at anew, and must not be taken for another trigger.
      if (round % 2 === 0) await alice.editIssue(life.issue, { title: `Notes, round ${String(round)}` });
      else await alice.editIssue(pr, { title: `Pull request, round ${String(round)}` });
      const passed = await pass(String(round));
      if (passed.end === 'done') through += 1;
      else assert.equal(passed.end, 'busy', JSON.stringify(passed));
    }
    await waitUntil('the inbox to be empty', async () => (await metric('bot_bottle_inbox_open')) === 0);
    assert.ok((await metric(accepted)) - before >= 5, 'the passes found what changed');
    const row = await life.files.stateRow(life.subject);
    assert.deepEqual([row?.status, row?.slug], ['destroyed', frozen.slug]);
    const now = await handle.describe();
    assert.deepEqual([now.runId, now.status.name], [runId, 'COMPLETED'], 'no other life began');
    assert.equal((await life.slugs()).length, 1);
    const issue = await alice.api.object('GET', `/repos/alice/demo/issues/${String(life.issue)}`);
    assert.equal(issue['state'], 'open');
    assert.equal((issue['labels'] as unknown[]).length, 1, 'the label is still there');
    assert.equal((issue['assignees'] as unknown[]).length, 1, 'and the assignee');
  });

  it('costs nothing of traces, for which there is no collector: the worker has loaded nothing of OpenTelemetry', async () => {
    await stack().stopUp();
    const { packages, folders } = await loadedModules(path('modules'));
    assert.ok(packages.has('@temporalio/worker') && folders.has('adapters/docker'));
    assert.deepEqual(
      [...packages].filter((name) => name.includes('opentelemetry')),
      [],
    );
  });
});
