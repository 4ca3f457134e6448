import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bottleScript } from '../support/stack/bottle-script.js';
import { Stack } from '../support/stack/stack.js';
import { tearDown } from '../support/stack/tear-down.js';

describe('the command line beside a running `up`', function () {
  this.timeout(120_000);
  let stack: Stack;
  let client: Client | undefined;

  before(async () => {
    stack = await Stack.prepare({ env: { FORGE_REPOS: 'alice/demo' } });
    await stack.start();
    client = await stack.client();
  });
  after(() => tearDown(stack, client));

  it('doctor finds nothing wrong', async () => {
    const { code, stdout, stderr } = await stack.cli(['doctor']);
    assert.equal(code, 0, stdout + stderr);
  });

  it('starts a run without label or assignee, follows it, resumes it and lists it', async () => {
    const body = bottleScript('write a.md x', 'commit First', 'open_pr First | b', 'done success first');
    const number = await stack.gitea.alice.createIssue({ title: 'By hand', body });
    const issue = `alice/demo#${String(number)}`;
    const start = ['orchestrate', 'start', '--issue', issue, '--agent', 'implementer', '--wait', '--json'];
    const started = await stack.cli(start);
    assert.equal(started.code, 0, started.stderr);
    const { slug } = JSON.parse(started.stdout) as { slug: string };
    assert.match(slug, /^implementer-alice-demo-/);

    const prompt = bottleScript('print again', 'exit 7');
    const resume = ['orchestrate', 'resume', '--slug', slug, '--prompt', prompt, '--wait', '--json'];
    assert.equal((await stack.cli(resume)).code, 7, "the agent's own exit code");

    const status = await stack.cli(['orchestrate', 'status', '--json']);
    assert.equal(status.code, 0, status.stderr);
    assert.ok(status.stdout.includes(slug));
    assert.ok(status.stdout.includes(`/alice/demo/issues/${String(number)}`));
    assert.match(status.stdout, /\/alice\/demo\/pulls\/\d+/);
  });

  it('tells of a turn that its agent was stuck in, and does not exit with 0', async () => {
    const body = bottleScript('write STUCK.md no idea', 'commit Stuck', 'done success stuck');
    const number = await stack.gitea.alice.createIssue({ title: 'Too hard', body });
    const issue = `alice/demo#${String(number)}`;
    const start = ['orchestrate', 'start', '--issue', issue, '--agent', 'implementer', '--wait'];
    const { code, stdout, stderr } = await stack.cli(start);
    assert.equal(code, 11, stdout + stderr);
    assert.match(stdout, /^implementer-\S+: turn 1 ended: stuck, agent exited with 0, said success, no pull/);
  });

  it('tells of a turn that was stopped for its time, whatever the agent exited with then', async () => {
    const number = await stack.gitea.alice.createIssue({ title: 'For ever', body: bottleScript('spin') });
    const issue = `alice/demo#${String(number)}`;
    const start = ['orchestrate', 'start', '--issue', issue, '--agent', 'brief', '--wait', '--json'];
    await mkdir(join(stack.home, 'agents'), { recursive: true });
    const manifest = '---\nprovider: scripted\nlimits:\n  turn_timeout: 5s\n---\n\nYou are brief.\n';
    await writeFile(join(stack.home, 'agents', 'brief.md'), manifest);
    const { code, stdout, stderr } = await stack.cli(start);
    assert.equal(code, 14, stdout + stderr);
    const { exitCode, reason, stopped } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([exitCode, reason, stopped], [137, 'timeout', 'timeout']);
  });
});
