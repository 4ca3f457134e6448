import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorCommandRow } from '../../../src/domain/run/rows.js';
import { operatorName } from '../../../src/wiring/operator/operator-name.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { operatorStack } from './stack.js';

describe('the command line beside a running `up`', function () {
  this.timeout(120_000);
  const { stack, lifeOf } = operatorStack();

  // As it was before: no model's key.
  after(() => rm(join(stack().home, 'secrets/anthropic-api-key'), { force: true }));

  it('has the webhook as a process of its own, started by its own entry', () => {
    const pid = String(stack().upProcess.pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const lines = children.map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0'));
    assert.ok(
      lines.some(([, file]) => file?.endsWith('/dist/webhook.js')),
      JSON.stringify(lines),
    );
  });

  it('doctor finds nothing wrong but that no model’s key is set, and nothing at all when one is', async () => {
    const without = await stack().cli(['doctor']);
    assert.equal(without.code, 1);
    assert.deepEqual(
      without.stdout.match(/^fail .*$/gm)?.map((line) => line.replace(/models +/, 'models ')),
      ['fail   models no agent can run'],
    );
    assert.match(
      without.stdout,
      /^models: no model key is set: bot-bottle secret set anthropic-api-key < key, or/m,
    );
    await stack().run(['secret', 'set', 'anthropic-api-key'], 'no-key-of-anybody');
    const { code, stdout, stderr } = await stack().cli(['doctor']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(
      stdout,
      /^ok +models +can run: claude, implementer \(claude\), opencode, pi; without a key: codex$/m,
    );
  });

  it('starts a run without label or assignee, follows it, resumes it and lists it', async () => {
    const body = bottleScript('write a.md x', 'commit First', 'open_pr First | b', 'done success first');
    const number = await stack().gitea.alice.createIssue({ title: 'By hand', body });
    const issue = `alice/demo#${String(number)}`;
    const start = ['orchestrate', 'start', '--issue', issue, '--agent', 'demo', '--wait', '--json'];
    const started = await stack().run(start);
    const { slug } = JSON.parse(started) as { slug: string };
    assert.match(slug, /^demo-alice-demo-/);

    const prompt = bottleScript('print again', 'exit 7');
    const resume = ['orchestrate', 'resume', '--slug', slug, '--prompt', prompt, '--wait', '--json'];
    assert.equal((await stack().cli(resume)).code, 7, "the agent's own exit code");

    const status = await stack().run(['orchestrate', 'status', '--json']);
    assert.ok(status.includes(slug));
    assert.ok(status.includes(`/alice/demo/issues/${String(number)}`));
    assert.match(status, /\/alice\/demo\/pulls\/\d+/);

    const commands = await stack().cli(['orchestrate', 'status', '--commands', '--json']);
    const rows = (JSON.parse(commands.stdout) as { commands: OperatorCommandRow[] }).commands;
    const ours = rows.filter((row) => row.slug === slug);
    assert.deepEqual(
      ours.map(({ kind }) => kind),
      ['resume', 'start'],
    );
    for (const { who } of ours) assert.equal(who, operatorName());
  });

  it('pause holds a new run back through a restart, and unpause lets it begin', async () => {
    await stack().run(['pause']);
    const body = bottleScript('write b.md x', 'commit Second', 'done success second');
    const number = await stack().gitea.alice.createIssue({
      ...{ title: 'Held back', body, labels: ['bot-bottle:demo'], assignees: [stack().gitea.bot.login] },
    });
    const life = lifeOf(number);
    const held = await life.frozen(1, 'paused');
    assert.match(held.detail ?? '', /^new turns are paused by /);

    await stack().stopUp();
    await stack().start();
    const again = lifeOf(number);
    const status = await stack().cli(['orchestrate', 'status']);
    assert.match(status.stdout, /^new turns are paused by \S+ since \S+: bot-bottle unpause\n/);
    assert.match((await stack().cli(['doctor'])).stdout, /pause.*new turns are paused/);
    const resume = await stack().cli(['orchestrate', 'resume', '--slug', held.slug, '--prompt', 'go on']);
    assert.equal(resume.code, 4);
    assert.match(resume.stderr, /refused: new turns are paused .*bot-bottle unpause/);

    await stack().run(['unpause']);
    await again.frozen(2, 'done');
    await again.close();
  });
});
