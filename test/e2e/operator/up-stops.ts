import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { allGone, processesOf } from '../../support/stack/processes.js';
import { operatorStack } from './stack.js';

/** A service manager kills what has not stopped after a minute and a half. */
const SOON_MS = 45_000;

describe('`up` that is stopped while an agent runs', function () {
  this.timeout(180_000);
  const { stack, open } = operatorStack();

  async function agentRuns(title: string): Promise<{ readonly life: Life; readonly slug: string }> {
    const script = bottleScript(WAIT_FOR_TEST, 'print it went on', 'done success finished');
    const life = await open(title, script);
    const { slug } = await life.waiting();
    return { life, slug };
  }

  /** Nothing is left but the agent's containers, nothing counts as a crash, and the next `up` goes on. */
  async function goesOn({ life, slug }: Awaited<ReturnType<typeof agentRuns>>): Promise<void> {
    const agent = await life.container(slug, 'agent');
    await allGone(stack().home, SOON_MS);
    assert.equal(existsSync(join(stack().home, 'part-ends.json')), false, 'a part ended by itself');
    assert.deepEqual(await readdir(join(stack().home, 'under-way')), []);
    for (const role of ['agent', 'bundle'] as const)
      assert.equal((await life.container(slug, role)).status, 'running', role);
    await stack().start();
    await life.files.letGo(slug);
    await life.frozen(1, 'done');
    const after = await life.container(slug, 'agent');
    assert.deepEqual([after.id, after.startedAt], [agent.id, agent.startedAt]);
    assert.equal(await life.files.invocations(slug, 1), 1);
  }

  async function endsWith0(before: string, send: () => Promise<void> | void): Promise<void> {
    const { upProcess } = stack();
    const ended = once(upProcess, 'close') as Promise<[number | null, string | null]>;
    const asked = Date.now();
    await send();
    const [code, signal] = await ended;
    const said = stack().output.slice(before.length);
    assert.deepEqual([code, signal], [0, null], said);
    assert.ok(Date.now() - asked < SOON_MS, `it took ${String(Date.now() - asked)} ms`);
    assert.match(said, /^bot-bottle: stopping; what runs goes on at the next `up`$/m);
    assert.doesNotMatch(said, /ended by itself/);
  }

  it('ends in good order when all its processes are asked at once, as a service manager does', async () => {
    const running = await agentRuns('all are asked at once');
    await endsWith0(stack().output, async () => {
      const all = await processesOf(stack().home);
      assert.ok(all.length >= 4, JSON.stringify(all));
      for (const { pid } of all) process.kill(pid, 'SIGTERM');
    });
    await goesOn(running);
  });

  it('ends in good order when it alone is asked', async () => {
    const running = await agentRuns('it alone is asked');
    await endsWith0(stack().output, () => void stack().upProcess.kill('SIGTERM'));
    await goesOn(running);
  });

  it('ends in good order when its terminal is closed', async () => {
    await stack().stopUp();
    const { PATH, HOME } = process.env;
    const command = `exec ${process.execPath} dist/cli.js up`;
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: ROOT,
      env: { PATH, HOME, ...stack().env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    await waitUntil('`up` to be up', () => shown.includes('worker runs'));
    const running = await agentRuns('the terminal is closed');
    terminal.kill('SIGKILL');
    await goesOn(running);
  });
});
