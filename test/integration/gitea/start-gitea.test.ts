import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGitea } from '../../support/gitea/start-gitea.js';
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

  before(async function () {
    this.timeout(90_000);
    gitea = await startGitea();
  });

  after(async () => {
    await gitea.stop();
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
