import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeServer } from '../../support/gitea/forge-server.js';
import { BOT, startGitea } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

function runs(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a Gitea started for a test', () => {
  let gitea: Gitea;
  let receiver: ForgeServer;
  const secret = 'a webhook secret';

  before(async function () {
    this.timeout(90_000);
    receiver = await ForgeServer.start(() => ({ status: 202 }));
    gitea = await startGitea({ webhook: { url: `${receiver.url}/webhooks/gitea`, secret } });
  });

  after(async () => {
    await gitea.stop();
    await receiver.stop();
  });

  async function delivered(type: string): Promise<ForgeServer['seen'][number]> {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const found = receiver.seen.find((seen) => seen.headers['x-gitea-event-type'] === type);
      if (found !== undefined) return found;
      if (Date.now() > deadline) {
        const types = receiver.seen.map((seen) => seen.headers['x-gitea-event-type']);
        throw new Error(`no delivery of ${type}, only ${types.join(', ')}`);
      }
      await sleep(20);
    }
  }

  it('delivers every kind of event, signed', async function () {
    this.timeout(60_000);
    const { alice } = gitea;
    const number = await alice.createIssue({ title: 'x', labels: ['bot-bottle:dev'], assignees: [BOT] });
    await alice.comment(number, 'hello');
    await alice.createFile({ branch: 'work', path: 'work.txt', content: 'x\n', from: 'main' });
    const pr = await alice.openPr({ title: 'work', head: 'work' });
    await alice.createFile({ branch: 'work', path: 'more.txt', content: 'x\n' });
    const { mallory } = gitea;
    await mallory.review(pr, { verdict: 'comment', body: 'hm' });
    await alice.comment(pr, 'hello');
    for (const type of [
      'issues',
      'issue_label',
      'issue_assign',
      'issue_comment',
      'push',
      'pull_request',
      'pull_request_sync',
    ]) {
      const { body, headers } = await delivered(type);
      assert.equal(headers['x-gitea-signature'], createHmac('sha256', secret).update(body).digest('hex'));
    }
    await delivered('pull_request_review_comment');
    await delivered('pull_request_comment');
  });

  it('goes on after it was killed and started again', async function () {
    this.timeout(60_000);
    const number = await gitea.alice.createIssue({ title: 'survivor' });
    const { pid } = gitea.process;
    await gitea.process.kill();
    assert.equal(runs(pid), false);
    await gitea.process.start();
    assert.equal(
      (await gitea.alice.api.object('GET', `/repos/alice/demo/issues/${String(number)}`))['title'],
      'survivor',
    );
  });

  it('is gone with its directory when stopped, also when something else killed it, also twice', async function () {
    this.timeout(60_000);
    const { pid } = gitea.process;
    assert.ok(pid !== undefined && runs(pid));
    process.kill(pid, 'SIGKILL');
    await gitea.stop();
    await gitea.stop();
    assert.equal(runs(pid), false);
    assert.equal(existsSync(gitea.process.dir), false);
  });

  it('ends with the process that started it, also when that is killed outright', async function () {
    this.timeout(60_000);
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-gitea-orphan-'));
    const support = new URL('../../support/gitea/gitea-process.ts', import.meta.url).href;
    const program = `
      import { GiteaProcess } from ${JSON.stringify(support)};
      const server = await GiteaProcess.prepare(${JSON.stringify(dir)}, 0);
      await server.start();
      process.stdout.write(String(server.pid));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    try {
      const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
      const server = Number(pid.toString());
      assert.ok(runs(server));
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      const deadline = Date.now() + 10_000;
      while (runs(server) && Date.now() < deadline) await sleep(20);
      assert.equal(runs(server), false);
    } finally {
      parent.kill('SIGKILL');
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  });
});
