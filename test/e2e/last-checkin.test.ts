import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { bottleScript, WAIT_FOR_TEST } from '../support/stack/bottle-script.js';
import { StackFiles } from '../support/stack/stack-files.js';
import { waitUntil } from '../support/stack/stack.js';
import { useStack } from '../support/stack/use-stack.js';

/** The worker looks every 15 s, and the heartbeat it reads is a second old at most. */
const BEHIND_MS = 17_000;
const AT_WORK_S = 40;

describe('the last check-in, while a turn runs', function () {
  this.timeout(240_000);
  const { stack, client } = useStack({ env: { FORGE_REPOS: 'alice/demo' } });

  it('moves on while the agent works and stands still while it is silent, and the history does not grow', async () => {
    const work = Array.from({ length: AT_WORK_S }, () => 'run sleep 1');
    const body = bottleScript(...work, WAIT_FOR_TEST, 'done success quiet');
    const number = await stack().gitea.alice.createIssue({ title: 'Long and then silent', body });
    const issue = `alice/demo#${String(number)}`;
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number } as const;
    const started = await stack().run(['orchestrate', 'start', '--issue', issue, '--agent', 'demo']);
    const slug = started.trim();
    const files = new StackFiles(stack().home);
    const handle = client().workflow.getHandle(workflowIdOf(subject));
    const shown = async (): Promise<number | null> => {
      const { stdout } = await stack().cli(['orchestrate', 'status', '--json']);
      const { runs } = JSON.parse(stdout) as { runs: { slug: string; lastCheckinAt: number | null }[] };
      return runs.find((run) => run.slug === slug)?.lastCheckinAt ?? null;
    };
    await stack().until(client(), subject, 'the turn to run', ({ phase }) => phase === 'running');

    const seen: number[] = [];
    await waitUntil(
      'two check-ins',
      async () => {
        const at = (await files.stateRow(subject))?.lastCheckinAt ?? null;
        if (at !== null && at !== seen.at(-1)) seen.push(at);
        return seen.length === 2;
      },
      AT_WORK_S * 1_000,
      500,
    );
    const [first = 0, second = 0] = seen;
    assert.ok(first < second && second <= Date.now(), JSON.stringify(seen));
    assert.ok(((await shown()) ?? 0) >= second);
    // What began the turn stands in it by now.
    const before = (await handle.fetchHistory()).events?.length ?? 0;

    await waitUntil('the silence', async () =>
      (await files.agentLog(slug, 1)).includes('until [ -e /run/bottle/turn/go ]'),
    );
    await sleep(BEHIND_MS);
    const last = await shown();
    assert.ok(last !== null && last > second);
    await sleep(BEHIND_MS);
    assert.equal(await shown(), last);
    // Queries of `status` may have cost a workflow task, which is three events; a check-in is never one.
    const grown = ((await handle.fetchHistory()).events ?? []).slice(before);
    const tasks = grown.filter((event) => event.workflowTaskStartedEventAttributes);
    assert.equal(grown.length, tasks.length * 3);

    await files.letGo(slug);
    const ended = await stack().until(client(), subject, 'the end', ({ phase }) => phase === 'frozen');
    assert.equal(ended.reason, 'done');
    assert.ok(((await files.stateRow(subject))?.lastCheckinAt ?? 0) > last);
  });
});
