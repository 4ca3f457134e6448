import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerState } from '../../../src/domain/bottle/bottle-runtime.js';
import { ROOT } from '../../support/entries/entry-process.js';
import { WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { allGone, processesOf } from '../../support/stack/processes.js';
import { operatorStack } from './stack.js';

/** A service manager kills what has not stopped after a minute and a half. */
const SOON_MS = 45_000;

describe('`up` that is stopped again and again while an agent runs', function () {
  this.timeout(180_000);
  const { stack, trigger } = operatorStack();
  let life: Life;
  let slug: string;
  let agent: ContainerState;

  before(async () => {
    life = await trigger('`up` is stopped', WAIT_FOR_TEST, 'print it went on', 'done success finished');
    ({ slug } = await life.waiting());
    agent = await life.container(slug, 'agent');
  });

  /** Of all that ran only the run's containers are left, and nothing counts as a crash. */
  async function onlyBottleIsLeft(): Promise<void> {
    await allGone(stack().home, SOON_MS);
    assert.equal(existsSync(join(stack().home, 'part-ends.json')), false, 'a part ended by itself');
    assert.deepEqual(await readdir(join(stack().home, 'under-way')), []);
    assert.equal((await life.container(slug, 'bundle')).status, 'running');
    const { id, startedAt, status } = await life.container(slug, 'agent');
    assert.deepEqual([id, startedAt, status], [agent.id, agent.startedAt, 'running']);
  }

  /** @param said all that the next `up` has printed so far */
  function isTakenUp(said: () => string): Promise<void> {
    return waitUntil('the agent to be watched again', () =>
      said().includes(`"slug":"${slug}","turn":1,"how":"attach"`),
    );
  }

  async function startAgain(): Promise<void> {
    const before = stack().output.length;
    await stack().start();
    await isTakenUp(() => stack().output.slice(before));
  }

  async function endsWith0(send: () => Promise<void> | void): Promise<void> {
    const { upProcess } = stack();
    const before = stack().output.length;
    const ended = once(upProcess, 'close') as Promise<[number | null, string | null]>;
    const asked = Date.now();
    await send();
    const [code, signal] = await ended;
    const said = stack().output.slice(before);
    assert.deepEqual([code, signal], [0, null], said);
    assert.ok(Date.now() - asked < SOON_MS, `it took ${String(Date.now() - asked)} ms`);
    assert.match(said, /^bot-bottle: stopping; what runs goes on at the next `up`$/m);
    assert.doesNotMatch(said, /ended by itself/);
  }

  it('ends in good order when all its processes are asked at once, as a service manager does', async () => {
    await endsWith0(async () => {
      const all = await processesOf(stack().home);
      assert.ok(all.length >= 4, JSON.stringify(all));
      for (const { pid } of all) process.kill(pid, 'SIGTERM');
    });
    await onlyBottleIsLeft();
    await startAgain();
  });

  it('ends in good order when it alone is asked', async () => {
    await endsWith0(() => void stack().upProcess.kill('SIGTERM'));
    await onlyBottleIsLeft();
  });

  it('ends in good order when its terminal is closed', async () => {
    const { PATH, HOME } = process.env;
    const command = `exec ${process.execPath} dist/cli.js up`;
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: ROOT,
      env: { PATH, HOME, ...stack().env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    await isTakenUp(() => shown);
    terminal.kill('SIGKILL');
    await onlyBottleIsLeft();
  });

  it('lets the next one end the turn, with the agent that was there all along', async () => {
    await startAgain();
    await life.files.letGo(slug);
    await life.frozen(1, 'done');
    const { id, startedAt } = await life.container(slug, 'agent');
    assert.deepEqual([id, startedAt], [agent.id, agent.startedAt]);
    assert.equal(await life.files.invocations(slug, 1), 1);
  });
});
