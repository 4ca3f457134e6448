import assert from 'node:assert/strict';
import { serveLoopback } from '../../../src/adapters/loopback/serve-loopback.js';
import type { LoopbackServer } from '../../../src/adapters/loopback/serve-loopback.js';
import { BundleProcess, buildBundle, removeBuiltBundle } from '../../support/bundle/bundle-process.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { rpc } from '../../support/bundle/unix-http.js';
import { startGithub } from '../../support/github/start-github.js';
import type { LocalGithub } from '../../support/github/start-github.js';

describe('the bundle over GitHub, through the socket that stands for a loopback forge', function () {
  this.timeout(30_000);
  let file: string;
  let github: LocalGithub;
  let run: RunDirectory;
  let loopback: LoopbackServer;
  let bundle: BundleProcess;

  before(async () => {
    file = buildBundle();
    github = await startGithub('/api/v3');
    const { port, hostname } = new URL(github.server.url);
    run = new RunDirectory({ turn: 1, prNumber: null }, github.bot.token);
    loopback = await serveLoopback({ socketDir: run.root, target: { host: hostname, port: Number(port) } });
    bundle = new BundleProcess(file, run, {
      FORGE_KIND: 'github',
      // Nobody listens there but behind the socket.
      FORGE_GITHUB_API: 'http://127.0.0.1:9/api/v3',
      FORGE_SOCKET: loopback.socketPath,
    });
    await bundle.serving();
  });

  after(async () => {
    await bundle.kill('SIGKILL');
    await loopback.close();
    await github.server.stop();
    run.remove();
    removeBuiltBundle(file);
  });

  it('reads the issue and comments on it once, and on nothing else', async () => {
    const mine = await github.alice.createIssue({ title: 'A bug', body: 'It is broken' });
    const other = await github.alice.createIssue({ title: 'Another' });
    const read = await rpc(run.socket, 'read_issue', { number: mine });
    assert.match(JSON.stringify(read.result), /It is broken/);
    for (let i = 0; i < 2; i += 1) {
      const posted = await rpc(run.socket, 'post_comment', { number: mine, body: 'Looking at it' });
      assert.equal(posted.error, undefined);
    }
    const comments = await github.alice.comments(mine);
    assert.deepEqual(
      comments.map(({ login }) => login),
      [github.bot.login],
    );
    assert.equal((await rpc(run.socket, 'post_comment', { number: other, body: 'x' })).error?.code, -32001);
    assert.deepEqual(await github.alice.comments(other), []);
  });
});
