import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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

  it('has the webhook as a process of its own, started by its own entry', () => {
    const pid = String(stack.upProcess.pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const lines = children.map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0'));
    assert.ok(
      lines.some(([, file]) => file?.endsWith('/dist/webhook.js')),
      JSON.stringify(lines),
    );
  });

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
});
