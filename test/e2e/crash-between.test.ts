import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { spawnDevServer, temporalProgram } from '../../src/wiring/services/temporal-dev-server.js';
import type { Part } from '../../src/wiring/services/keep-part.js';
import { markOf } from '../support/faults/kill-marks.js';
import { bottleScript } from '../support/stack/bottle-script.js';
import { Life } from '../support/stack/life.js';
import { Stack, waitUntil } from '../support/stack/stack.js';
import { tearDown } from '../support/stack/tear-down.js';

/** In the order in which a life comes by them; each is the last effect of something that nobody heard the end of. */
const POINTS = [
  'runtime.createAgent', // launchBottle: containers made, not started
  'runtime.start:agent', // launchBottle: the agent runs, the turn is not known to have begun
  'git.publish', // publishWork: pushed, no pull request
  'forge.openPr', // publishWork: the pull request is there, the agent has no answer
  'queue.acknowledge', // the relay: answered
  'runtime.archive:agent', // freezeBottle: the transcript was read
  'runtime.removeVolumes', // destroyBottle: everything is gone
];

describe('a worker that is killed between an effect and its report', function () {
  this.timeout(300_000);
  let stack: Stack;
  let server: Part | undefined;
  let client: Client | undefined;
  let webhook: ChildProcess | undefined;
  let worker: ChildProcess | undefined;
  let stopping = false;
  let deaths = 0;

  function keepWorker(): void {
    worker = stack.service([], { KILL_AT: POINTS.join() }, 'test/support/faults/killing-worker.ts');
    worker.once('exit', (_code, signal) => {
      if (stopping) return;
      if (signal === 'SIGKILL') deaths += 1;
      keepWorker();
    });
  }

  async function end(child: ChildProcess | undefined): Promise<void> {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  before(async () => {
    stack = await Stack.prepare();
    const [host = '', port = ''] = stack.temporalAddress.split(':');
    server = spawnDevServer({
      program: temporalProgram(),
      home: stack.home,
      host,
      port: Number(port),
      uiPort: Number(new URL(stack.uiUrl).port),
      namespace: 'default',
      reachable: async () => (await stack.cli(['temporal', 'setup'])).code === 0,
    });
    await server.serving;
    client = await stack.client();
    webhook = stack.service(['webhook']);
    await waitUntil('the webhook', () => stack.output.includes('webhook listening'));
    keepWorker();
  });
  after(async () => {
    try {
      stopping = true;
      await end(worker);
      await end(webhook);
      await tearDown(stack, client);
    } finally {
      await server?.stop();
    }
  });

  it('leaves one agent, one pull request, and nothing behind, wherever it happens', async () => {
    assert.ok(client !== undefined);
    const { alice } = stack.gitea;
    const script = bottleScript(
      'write a.md x',
      'commit First',
      'open_pr First | Please merge',
      'done success first',
    );
    const life = await Life.trigger(stack, client, 'killed in between', script);
    const frozen = async (): Promise<boolean> =>
      (await life.files.stateRow(life.subject))?.status === 'frozen';
    await waitUntil('the first freeze', frozen, 200_000);
    const { slug } = await life.frozen(1, 'done');
    const row = await life.files.stateRow(life.subject);
    assert.ok(typeof row?.prNumber === 'number');
    assert.equal(await life.files.invocations(slug, 1), 1, 'the agent ran once');
    assert.deepEqual(
      (await life.files.turnRows(slug)).map(({ turn, event }) => [turn, event]),
      [
        [1, 'begun'],
        [1, 'ended'],
      ],
    );
    const pulls = await alice.api.list('/repos/alice/demo/pulls?state=all&limit=50');
    assert.deepEqual(
      pulls.map(({ number }) => number),
      [row.prNumber],
    );
    const commits = await alice.api.list(`/repos/alice/demo/pulls/${String(row.prNumber)}/commits`);
    assert.equal(commits.length, 1);

    await alice.mergePr(row.prNumber);
    await life.ended();
    assert.deepEqual(
      POINTS.filter((point) => !existsSync(join(stack.home, markOf(point)))),
      [],
      'points that were never reached',
    );
    assert.equal(deaths, POINTS.length);
  });
});
