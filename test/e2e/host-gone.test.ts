import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { hostId } from '../../src/adapters/files/host-id.js';
import { bottleScript, WAIT_FOR_TEST } from '../support/stack/bottle-script.js';
import { Life } from '../support/stack/life.js';
import { StackFiles } from '../support/stack/stack-files.js';
import { Stack, waitUntil } from '../support/stack/stack.js';
import { allGone } from '../support/stack/processes.js';
import { tearDown } from '../support/stack/tear-down.js';
import { DevServer } from '../support/temporal/dev-server.js';

describe('a home that is gone, and a second one', function () {
  this.timeout(300_000);
  let stack: Stack;
  let server: DevServer | undefined;
  let client: Client | undefined;
  let second: ChildProcess | undefined;
  let other = '';

  before(async () => {
    stack = await Stack.prepare({ env: { BOTTLE_HOST_SILENT: '4s', BOTTLE_SWEEP_INTERVAL: '2s' } });
    // Of neither home: it outlives both.
    server = DevServer.start(Number(stack.temporalAddress.split(':')[1]));
    await waitUntil('the server', async () => {
      client = await stack.client().catch(() => undefined);
      return client !== undefined;
    });
    await stack.start();
    other = await mkdtemp(join(tmpdir(), 'bb-'));
    await cp(join(stack.home, 'secrets'), join(other, 'secrets'), { recursive: true });
  });
  after(async () => {
    try {
      await tearDown(stack, client);
    } finally {
      if (second?.exitCode === null) {
        second.kill('SIGTERM');
        await once(second, 'exit');
      }
      await server?.stop();
      await rm(other, { recursive: true, force: true });
    }
  });

  const pulls = (): Promise<unknown[]> => stack.gitea.alice.api.list('/repos/alice/demo/pulls?state=all');

  /** As if nothing had been written there for long: a sweep takes nothing that is young. */
  async function age(directory: string): Promise<void> {
    const past = new Date(Date.now() - 3_600_000);
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await age(join(directory, entry.name));
      else await utimes(join(directory, entry.name), past, past).catch(() => undefined);
    await utimes(directory, past, past).catch(() => undefined);
  }

  it('takes a run again that had left it, and whose last state it does not have: what the run left there is gone', async () => {
    assert.ok(client !== undefined);
    const script = ['run [ ! -e half.txt ] || touch found.txt', 'write half.txt x', WAIT_FOR_TEST];
    const life = await Life.trigger(stack, client, 'the home is the next one, too', bottleScript(...script));
    const { slug, host } = await life.waiting();
    const signal = (command: string): Promise<unknown> => stack.run(['signal', slug, command]);
    await signal('freeze');
    await life.frozen(1, 'paused');
    const root = join(stack.home, 'state', slug);
    assert.ok(existsSync(join(root, 'workspace/half.txt')));
    await rm(join(root, 'transcript'), { recursive: true });
    await signal('move');
    await signal('resume');

    assert.equal((await life.waiting(2)).host, host);
    assert.match(await life.files.prompt(slug, 2), /What was only there is gone/);
    assert.ok(!existsSync(join(root, 'workspace/found.txt')), 'found what turn 1 left');
    await life.close();
  });

  it('is left by `move`: the second one finishes the life, and the first changes nothing when it is back', async () => {
    assert.ok(client !== undefined);
    const script = [WAIT_FOR_TEST, 'write notes.md hello', 'commit Notes', 'done success finished'];
    const life = await Life.trigger(stack, client, 'the first home is gone', bottleScript(...script));
    const { slug } = await life.running();
    const first = await life.container(slug, 'agent');
    const before = (await pulls()).length;
    await stack.stopUp('SIGKILL');
    await allGone(stack.home);
    second = stack.service(['worker'], {
      BOT_BOTTLE_HOME: other,
      FORGE_PUBLISH_TOKEN_FILE: join(other, 'secrets/publish-token'),
    });
    const silent = await life.until('silence', (view) => view.hostSilentSince !== null);
    assert.match(silent.detail ?? '', /does not answer: start it, or bot-bottle signal .* move$/);
    await stack.run(['signal', `alice/demo#${String(life.issue)}`, 'move']);

    const again = await life.running(2);
    assert.equal(again.host, await hostId(other));
    assert.equal(again.slug, slug);
    assert.notEqual((await life.container(slug, 'agent')).id, first.id, 'the first agent is gone');
    const files = new StackFiles(other);
    assert.match((await files.prompts(slug)).join('\n'), /You work on another machine now/);
    await files.letGo(slug);
    const frozen = await life.until('the end of turn 2', (view) => view.phase === 'frozen');
    assert.deepEqual([frozen.reason, frozen.prs.length, frozen.epoch], ['done', 1, 1]);
    const { id } = await life.container(slug, 'agent');

    await age(join(stack.home, 'state', slug));
    await stack.start();
    const workspace = join(stack.home, 'state', slug, 'workspace');
    await waitUntil('the first home to be swept', () => !existsSync(workspace), 60_000);
    const after = await life.until('an answer', () => true);
    assert.deepEqual(
      [after.phase, after.turn, after.host, after.prs],
      ['frozen', 2, frozen.host, frozen.prs],
    );
    assert.equal((await life.container(slug, 'agent')).id, id, 'what the second home has is untouched');
    assert.equal((await pulls()).length, before + 1);
  });
});
