import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

const run = promisify(execFile);

describe('ways to a forge', () => {
  let gitea: Gitea;
  let dir: string;
  const servers: net.Server[] = [];
  const clients: GiteaClient[] = [];

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
    dir = await mkdtemp(join(tmpdir(), 'bot-bottle-ways-'));
  });

  after(async () => {
    for (const client of clients) client.close();
    for (const server of servers) {
      await new Promise((resolve) => server.close(resolve));
    }
    await rm(dir, { recursive: true });
  });

  async function listen(server: net.Server, where: string | number): Promise<void> {
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (typeof where === 'number') server.listen(where, '127.0.0.1', resolve);
      else server.listen(where, resolve);
    });
  }

  it('go through a Unix socket that stands for the loopback address', async () => {
    const target = new URL(gitea.url);
    const socketPath = join(dir, 'forge.sock');
    let connections = 0;
    await listen(
      net.createServer((near) => {
        connections += 1;
        const far = net.connect(Number(target.port), target.hostname);
        near.pipe(far).pipe(near);
        near.on('error', () => far.destroy());
        far.on('error', () => near.destroy());
      }),
      socketPath,
    );
    const client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.sidecarToken, socketPath });
    clients.push(client);
    const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
    const number = await gitea.alice.createIssue({ title: 'through the socket' });
    assert.equal((await forge.readIssue(number)).title, 'through the socket');
    await forge.postComment(number, 'hello', 'socket/1');
    assert.equal((await gitea.alice.comments(number)).length, 1);
    assert.ok(connections > 0);
  });

  it('go over TLS only with a certificate that is trusted: by FORGE_CA_FILE, if it is a private one', async () => {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
    ]);
    const target = new URL(gitea.url);
    const front = https.createServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (incoming, outgoing) => {
        const { method, url, headers } = incoming;
        const onward = http.request(
          { host: target.hostname, port: target.port, method, path: url, headers },
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          },
        );
        incoming.pipe(onward);
      },
    );
    await listen(front, 0);
    const address = front.address();
    assert.ok(typeof address === 'object' && address !== null);
    const options = {
      baseUrl: `https://localhost:${String(address.port)}`,
      token: gitea.bot.sidecarToken,
      retry: { tries: 1 },
    };
    const [trusting, wary] = [new GiteaClient({ ...options, caFile: cert }), new GiteaClient(options)];
    clients.push(trusting, wary);
    const me = await giteaForgeFor(trusting)({ forge: 'gitea', owner: 'alice', repo: 'demo' }).whoAmI();
    assert.equal(me.login, gitea.bot.login);
    await assert.rejects(wary.json({ method: 'GET', path: ['user'] }), {
      name: 'ForgeHttpError',
      status: 0,
      message: /DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED/,
    });
  });
});

describe('a pull request pushed to Gitea by somebody who can only read', () => {
  it('counts as one from a fork', async function () {
    this.timeout(90_000);
    const gitea = await sharedGitea();
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-agit-'));
    try {
      const { login, password } = gitea.mallory;
      const env = { ...process.env, HOME: dir, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
      const basic = Buffer.from(`${login}:${password}`).toString('base64');
      const git = (...args: string[]) =>
        run(
          'git',
          [
            '-c',
            `http.extraHeader=Authorization: Basic ${basic}`,
            '-c',
            'user.name=m',
            '-c',
            'user.email=m@example.invalid',
            ...args,
          ],
          {
            cwd: dir,
            env,
          },
        );
      await git('clone', '--quiet', `${gitea.url}/alice/demo.git`, 'clone');
      await git('-C', 'clone', 'commit', '--quiet', '--allow-empty', '-m', 'from below');
      await git('-C', 'clone', 'push', '--quiet', 'origin', 'HEAD:refs/for/main/bot-bottle/1-topic');
      const [pr] = await gitea.alice.api.list('/repos/alice/demo/pulls?state=open&sort=recentupdate');
      const client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.sidecarToken });
      try {
        const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
        const read = await forge.readPr(Number(pr?.['number']));
        assert.equal(read.author.login, 'mallory');
        assert.equal(read.head.fromFork, true);
      } finally {
        client.close();
      }
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
