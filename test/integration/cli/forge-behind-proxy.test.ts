import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveLoopback } from '../../../src/adapters/loopback/serve-loopback.js';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { rpc } from '../../support/bundle/unix-http.js';
import { SetupHome } from '../../support/forge-setup/setup-home.js';
import { REPO, startGitea } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { privateCa, TlsFront } from '../../support/gitea/tls-front.js';
import type { PrivateCa } from '../../support/gitea/tls-front.js';
import { BRANCH, GitFixture, git, pushedVerdict } from '../git/git-fixture.js';

describe('a Gitea with a private authority, below a path of its host', function () {
  this.timeout(120_000);
  let dir: string;
  let ca: PrivateCa;
  let front: TlsFront;
  let gitea: Gitea;
  let home: SetupHome;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bot-bottle-front-'));
    ca = await privateCa(dir);
    front = await TlsFront.start(ca, '/git');
    gitea = await startGitea({ ini: { rootUrl: `${front.url}/` } });
    front.target = gitea.process.port;
    home = await SetupHome.make(gitea, `${front.url}/api/v1`);
    home.set('FORGE_CA_FILE', ca.caFile);
  });
  after(async () => {
    await home.remove();
    await gitea.stop();
    await front.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is set up, and its test delivery arrives', async () => {
    const ran = await home.run(gitea.alice.token, REPO);
    assert.equal(ran.code, 0, ran.stdout);
    assert.equal(ran.items.at(-1)?.state, 'ok');
    assert.ok(front.requests.length > 0);
    assert.ok(front.requests.every((request) => request.includes(' /git/api/v1/')));
  });

  it('is not trusted without FORGE_CA_FILE, and the error says so', async () => {
    const wary = await SetupHome.make(gitea, `${front.url}/api/v1`);
    try {
      const ran = await wary.text(gitea.alice.token, REPO);
      assert.equal(ran.code, 5);
      assert.match(ran.stderr, /certificate is not one that is trusted here: set FORGE_CA_FILE/);
    } finally {
      await wary.remove();
    }
  });

  it('must trust the authority of the webhook’s proxy in its turn', async () => {
    const door = await TlsFront.start(ca, '/bots');
    door.target = home.port;
    try {
      const untrusted = await home.text(gitea.alice.token, REPO, '--url', door.url, '--wait', '2s');
      assert.equal(untrusted.code, 1);
      assert.match(untrusted.stdout, /Gitea must trust the certificate of 127\.0\.0\.1.*SKIP_TLS_VERIFY/);
      await gitea.process.stop();
      gitea.process.extraEnv = { SSL_CERT_FILE: ca.caFile };
      await gitea.process.start();
      const trusted = await home.run(gitea.alice.token, REPO, '--url', door.url);
      assert.equal(trusted.items.at(-1)?.state, 'ok', trusted.stdout);
      assert.ok(door.requests.includes('POST /bots/webhooks/gitea'));
    } finally {
      await door.stop();
    }
  });

  it('is cloned from and pushed to', async () => {
    const fixture = new GitFixture();
    try {
      const adapter = fixture.repository({
        cloneUrl: ({ owner, repo }) => `${front.url}/${owner}/${repo}.git`,
        readToken: () => gitea.bot.sidecarToken,
        publishToken: () => gitea.bot.publisherToken,
        caFile: ca.caFile,
      });
      const ref = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;
      const refs = await adapter.refresh(ref, BRANCH, []);
      const file = join(fixture.root, 'refs.bundle');
      await adapter.writeRefsBundle(ref, refs, BRANCH, file);
      git(fixture.work, 'fetch', '-q', file, 'refs/base/main');
      git(fixture.work, 'checkout', '-q', '-B', BRANCH, 'FETCH_HEAD');
      const head = fixture.commit(fixture.work, 'through-the-front.txt', 'x');
      const request = { baseSha: refs.startSha, bundleFile: fixture.bundle([refs.baseSha]) };
      assert.deepEqual(await fixture.publish(request, adapter), pushedVerdict(head));
      assert.equal((await adapter.refresh(ref, BRANCH, [])).branchSha, head);
    } finally {
      fixture.remove();
    }
  });

  it('is reached by the sidecar through the socket that stands for the loopback address', async () => {
    const number = await gitea.alice.createIssue({ title: 'through socket and TLS' });
    const run = new RunDirectory({ turn: 1, prNumber: null }, gitea.bot.sidecarToken);
    copyFileSync(ca.caFile, join(run.root, 'ca.pem'));
    const port = Number(new URL(front.url).port);
    const loopback = await serveLoopback({
      socketDir: join(dir, 'loopback'),
      target: { host: '127.0.0.1', port },
    });
    const bundle = new BundleProcess(builtBundle(), run, {
      FORGE_GITEA_API: `${front.url}/api/v1`,
      FORGE_SOCKET: loopback.socketPath,
      FORGE_ISSUE_NUMBER: String(number),
    });
    try {
      await bundle.serving();
      const read = await rpc(run.socket, 'read_issue', { number });
      assert.match(JSON.stringify(read), /through socket and TLS/);
      const posted = await rpc(run.socket, 'post_comment', { number, body: 'hello from below a path' });
      assert.equal(posted.error, undefined);
      assert.match((await gitea.alice.comments(number))[0]?.body ?? '', /hello from below a path/);
    } finally {
      await bundle.kill('SIGKILL');
      await loopback.close();
      run.remove();
    }
  });
});
