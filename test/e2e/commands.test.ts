import assert from 'node:assert/strict';
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

  it('doctor finds nothing wrong but that no model’s key is set, and nothing at all when one is', async () => {
    const without = await stack.cli(['doctor']);
    assert.equal(without.code, 1);
    assert.deepEqual(without.stdout.match(/^fail .*$/gm), ['fail   models       no agent can run']);
    assert.match(
      without.stdout,
      /^models: no model key is set: bot-bottle secret set anthropic-api-key < key, or/m,
    );
    assert.equal((await stack.cli(['secret', 'set', 'anthropic-api-key'], 'no-key-of-anybody')).code, 0);
    const { code, stdout, stderr } = await stack.cli(['doctor']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(
      stdout,
      /^ok +models +can run: claude, implementer \(claude\), opencode, pi; without a key: codex$/m,
    );
  });

  it('starts a run without label or assignee, follows it, resumes it and lists it', async () => {
    const body = bottleScript('write a.md x', 'commit First', 'open_pr First | b', 'done success first');
    const number = await stack.gitea.alice.createIssue({ title: 'By hand', body });
    const issue = `alice/demo#${String(number)}`;
    const start = ['orchestrate', 'start', '--issue', issue, '--agent', 'demo', '--wait', '--json'];
    const started = await stack.cli(start);
    assert.equal(started.code, 0, started.stderr);
    const { slug } = JSON.parse(started.stdout) as { slug: string };
    assert.match(slug, /^demo-alice-demo-/);

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
