import Docker from 'dockerode';
import { writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { withBottles } from './support/test-bottle.js';
describe('x', () => {
  const bottle = withBottles();
  it('p50', async function () {
    this.timeout(120000);
    const { runtime, slug } = bottle();
    const t: Record<string, number[]> = {};
    const time = async (n: string, f: () => Promise<unknown>) => { const a = performance.now(); await f(); (t[n] ??= []).push(performance.now() - a); };
    await bottle().shell('exec sleep 60');
    for (let i = 0; i < 15; i++) {
      await time('createBundle', () => runtime.createBundle(bottle().bundleSpec()));
      await time('createAgent', () => runtime.createAgent(bottle().agentSpec()));
      await time('startBundle(none)', () => runtime.start(slug, 'bundle'));
      await time('startAgent', () => runtime.start(slug, 'agent'));
      await time('stopAgent', () => runtime.stop(slug, 'agent', 5));
      await time('startAgent again', () => runtime.start(slug, 'agent'));
      await time('removeAgent', () => runtime.remove(slug, 'agent'));
      await time('removeBundle', () => runtime.remove(slug, 'bundle'));
      await time('runOnce true', () => runtime.runOnce(bottle().oneShot('true')));
      await time('inspect', () => runtime.inspect(slug, 'agent'));
    }
    for (const [n, v] of Object.entries(t)) console.log(n.padEnd(20), v.sort((a, b) => a - b)[7]!.toFixed(0));
    console.log(execFileSync('uptime').toString());
  });
  it('real bundle and real checkout', async () => {
    const { runtime, slug, dir } = bottle();
    await runtime.createBundle(bottle().bundleSpec({ image: 'bot-bottle/bundle:dev', env: { FORGE_GITEA_API: 'http://127.0.0.1:1/api/v1', FORGE_OWNER: 'a', FORGE_REPO: 'b', FORGE_ISSUE_NUMBER: '1', FORGE_PR_NUMBER: '', BOTTLE_SLUG: slug } }));
    await runtime.start(slug, 'bundle');
    const stop = setTimeout(() => void runtime.stop(slug, 'bundle', 2), 2500);
    await runtime.followLogs(slug, 'bundle', null, AbortSignal.timeout(8000), (l) => console.log(l.stream, l.text));
    clearTimeout(stop);
    console.log(await runtime.inspect(slug, 'bundle'));
    const git = (...a: string[]) => execFileSync('git', a, { cwd: join(dir, 'src'), encoding: 'utf8' }).trim();
    execFileSync('git', ['init', '-q', join(dir, 'src')]);
    await writeFile(join(dir, 'src/a.txt'), 'hi'); git('add', '.'); git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
    const sha = git('rev-parse', 'HEAD');
    git('update-ref', 'refs/base/main', sha); git('bundle', 'create', join(dir, 'turn/refs.bundle'), 'refs/base/main');
    await bottle().shell('cat a.txt; git log --oneline | cat; git status -sb; ls -la /run/bottle/sock');
    await writeFile(join(dir, 'turn/start'), sha + '\n');
    await rm(join(dir, 'workspace/.git'), { recursive: true });
    await runtime.createAgent(bottle().agentSpec());
    console.log(await bottle().runTurn());
  });
});
