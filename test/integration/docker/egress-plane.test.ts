import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { egressEnv } from '../../../src/domain/egress/agent-env.js';
import { PLACEHOLDER_KEY, type Route } from '../../../src/domain/egress/route.js';
import type { EgressMessage, QueueBody } from '../../../src/domain/run/queue.js';
import { until } from '../../support/bundle/until.js';
import { routeTo } from '../../support/egress/egress-here.js';
import { TestBottle } from './support/test-bottle.js';

const BUNDLE_IMAGE = 'bot-bottle/bundle:dev';
const SERVER = new URL('support/upstream-server.mjs', import.meta.url);
const FILES = 'files.egress-test.example';
const DIRECT = 'direct.egress-test.example';
const SECRET = 'key-of-the-operator-0123456789';
const run = promisify(execFile);

/**
 * The agent's and the sidecar's real images. Their upstream is a container on the sidecar's network: a private address,
 * which the operator's route may have and a CONNECT may not.
 */
describe('docker: the egress plane of a bottle', () => {
  const docker = new Docker();
  const id = randomBytes(4).toString('hex');
  const network = `bb-egress-test-${id}`;
  let bottle: TestBottle;

  before(async function () {
    this.timeout(120_000);
    await docker.createNetwork({ Name: network, Driver: 'bridge' });
    const server = await docker.createContainer({
      name: network,
      Image: BUNDLE_IMAGE,
      Entrypoint: ['node', '--input-type=module', '-e', await readFile(SERVER, 'utf8')],
      Env: [`ORIGIN=http://${FILES}:8080`],
      HostConfig: { NetworkMode: network, Tmpfs: { '/tmp': 'rw,mode=1777' } },
      NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [FILES, DIRECT] } } },
    });
    await server.start();
    await until(
      'the upstream',
      async () => ((await server.logs({ stdout: true })).toString().includes('listening') ? true : undefined),
      60_000,
    );
  });
  after(async function () {
    this.timeout(60_000);
    await docker.getContainer(network).remove({ force: true, v: true });
    await docker.getNetwork(network).remove();
  });

  beforeEach(async () => {
    bottle = await TestBottle.make(docker, BUNDLE_IMAGE);
    await write('queue/in/turn.json', '{"turn": 1, "prNumber": null}');
    await write('bundle/forge-token', 'token-of-the-test');
  });
  afterEach(async function () {
    this.timeout(60_000);
    await bottle.dispose();
  });

  async function write(name: string, content: string): Promise<void> {
    const file = join(bottle.dir, name);
    await writeFile(file, content);
    await chmod(file, 0o644);
  }

  /** Runs a shell script as the agent of a bottle with these rights. Answers what it printed. */
  async function agentOf(
    rights: { readonly allow: readonly string[]; readonly routes: readonly Route[] },
    script: string,
  ): Promise<{ readonly text: string; readonly exitCode: number }> {
    await write('config/allowlist', rights.allow.map((line) => `${line}\n`).join(''));
    await write('config/routes.json', JSON.stringify({ routes: rights.routes }));
    await bottle.shell(script);
    const env = Object.entries(egressEnv(rights));
    await write('turn/env', env.map(([name, value]) => `${name}=${value}\0`).join(''));
    await write('turn/wants-sidecar', '');
    if (env.length > 0) await write('turn/wants-egress', '');
    await bottle.runtime.createBundle(
      bottle.bundleSpec({
        caFile: null,
        loopbackDir: null,
        network,
        env: {
          BOTTLE_SLUG: bottle.slug,
          FORGE_GITEA_API: 'http://forge.example/api/v1',
          FORGE_OWNER: 'alice',
          FORGE_REPO: 'demo',
          FORGE_ISSUE_NUMBER: '1',
        },
      }),
    );
    await bottle.runtime.createAgent(
      bottle.agentSpec({
        limits: { memoryBytes: 512 * 1024 * 1024, cpus: 2, pids: 256 },
        // What a manifest says must not lead past the proxies.
        env: { HTTPS_PROXY: 'http://evil.example:1', https_proxy: 'http://evil.example:1' },
      }),
    );
    await bottle.runtime.start(bottle.slug, 'bundle');
    const { exitCode, lines } = await bottle.runTurn();
    return { exitCode, text: lines.map(({ text }) => text).join('\n') };
  }

  /** What the sidecar told the worker when it was stopped. */
  async function told(): Promise<EgressMessage | undefined> {
    await bottle.runtime.stop(bottle.slug, 'bundle', 5);
    const names = (await readdir(join(bottle.dir, 'queue/out'))).sort();
    const bodies = await Promise.all(
      names.map(
        async (name) => JSON.parse(await readFile(join(bottle.dir, 'queue/out', name), 'utf8')) as QueueBody,
      ),
    );
    return bodies.findLast((body) => body.kind === 'egress');
  }

  const files = routeTo(`http://${FILES}:8080`, {
    auth: { header: 'x-api-key', prefix: '', secret: 'files-key' },
    baseUrlEnv: 'FILES_URL',
    keyEnv: 'FILES_KEY',
  });
  const npm = routeTo(`http://${FILES}:8080/npm`, { name: 'npm', rewrite: true, baseUrlEnv: 'NPM_REGISTRY' });

  it('gives git, fetch and npm what the routes allow, with the key of the operator and none in the bottle', async function () {
    this.timeout(120_000);
    await write('bundle/secrets/files-key', SECRET);
    // Whoever runs the test: where the program itself is, not where this user would install another one.
    const { stdout } = await run('sh', ['-c', 'readlink -f "$(command -v npm)"']);
    const npmHome = dirname(dirname(stdout.trim()));
    assert.ok(existsSync(join(npmHome, 'bin/npm-cli.js')), 'npm is needed on this machine');
    await cp(npmHome, join(bottle.dir, 'workspace', 'npm'), { recursive: true });
    const { text, exitCode } = await agentOf(
      { allow: [], routes: [files, npm] },
      [
        'echo "git: $(git ls-remote "$FILES_URL/repo.git" refs/heads/main)"',
        'echo "env: $FILES_KEY"',
        `node -e 'fetch(process.env.FILES_URL + "/echo", {headers: {"x-api-key": process.env.FILES_KEY, cookie: "a=b"}}).then((a) => a.text()).then((t) => console.log("echo:", t))'`,
        'export npm_config_registry=$NPM_REGISTRY/ npm_config_cache=/tmp/npm npm_config_update_notifier=false',
        'echo "view: $(node npm/bin/npm-cli.js view @scope/pkg version dist.tarball --json | tr -d "\\n")"',
        'mkdir /tmp/p && cd /tmp/p && node /workspace/npm/bin/npm-cli.js install --no-audit --no-fund @scope/pkg >/dev/null 2>/tmp/npm.err || cat /tmp/npm.err',
        `echo "installed: $(node -p 'require("@scope/pkg")')"`,
      ].join('\n'),
    );
    assert.equal(exitCode, 0, text);
    assert.match(text, /^git: [0-9a-f]{40}\trefs\/heads\/main$/m);
    assert.ok(text.includes(`env: ${PLACEHOLDER_KEY}`));
    const echoed = /^echo: (.*)$/m.exec(text)?.[1] ?? '';
    const { headers } = JSON.parse(echoed) as { readonly headers: Readonly<Record<string, string>> };
    // The upstream had the key; what it said of it did not come back.
    assert.equal(headers['x-api-key'], '*'.repeat(SECRET.length));
    assert.equal(headers['cookie'], undefined);
    assert.equal(headers['host'], `${FILES}:8080`);
    assert.match(
      text,
      /view: .*"version": "1\.2\.3".*"http:\/\/127\.0\.0\.1:3129\/npm\/@scope\/pkg\/-\/pkg-1\.2\.3\.tgz"/,
    );
    assert.ok(text.includes('installed: 42'), text);
    assert.ok(!text.includes(SECRET));
    const report = await told();
    assert.ok((report?.lastSuccessAt ?? 0) > 0);
    assert.deepEqual(
      report?.hosts.map(({ host, route }) => [host, route]),
      [
        [FILES, 'files'],
        [FILES, 'npm'],
      ],
    );
    const logs = await docker
      .getContainer(containerName(bottle.slug, 'bundle'))
      .logs({ stderr: true, stdout: true });
    assert.match(logs.toString(), /"message":"egress"/);
    assert.ok(!logs.toString().includes(SECRET));
  });

  it('refuses at once, and says how to ask: hosts off the list, private addresses, upstreams of routes', async function () {
    this.timeout(120_000);
    const { text, exitCode } = await agentOf(
      { allow: [`${DIRECT}:8080`, DIRECT, '*.egress-test.example:8080'], routes: [npm] },
      [
        // Plain HTTP, whose text a client sees; over CONNECT clients show the status.
        `get() { node -e 'const [host, path] = process.argv.slice(1); require("node:http").get({host: "127.0.0.1", port: 3128, path: "http://" + host + path}, (a) => { let t = ""; a.on("data", (c) => t += c); a.on("end", () => console.log(host, a.statusCode, t.split("\\n")[0])); })' "$1" /; }`,
        `get ${DIRECT}:8080`,
        `get ${FILES}:8080`,
        'get evil.example',
        `git ls-remote https://${DIRECT}/repo.git 2>&1`,
        `node -e 'fetch("https://evil.example/").then(() => console.log("fetched"), (e) => { let all = ""; for (let c = e; c; c = c.cause) all += c.message + "; "; console.log("fetch:", all); })'`,
        'cat /etc/bot-bottle/current-config/allowlist',
      ].join('\n'),
    );
    assert.equal(exitCode, 0, text);
    assert.match(
      text,
      new RegExp(`${DIRECT}:8080 403 bot-bottle: ${DIRECT} has the address [0-9.]+, which is private`),
    );
    assert.match(text, new RegExp(`${FILES}:8080 403 bot-bottle: .*through the route "npm" only`));
    assert.match(text, /evil\.example 403 bot-bottle: evil\.example:80 is not in this bottle's allowlist/);
    assert.match(text, /fatal: unable to access .*response 403/);
    assert.match(text, /fetch: .*403/);
    assert.match(text, /^\*\.egress-test\.example:8080$/m);
    const report = await told();
    assert.deepEqual(report?.hosts, []);
    assert.equal(report.lastSuccessAt, null);
    assert.deepEqual(report.refusals, [
      { host: DIRECT, count: 2 },
      { host: 'evil.example', count: 2 },
      { host: FILES, count: 1 },
    ]);
  });

  it('takes up a changed allowlist and changed routes while the agent runs', async function () {
    this.timeout(120_000);
    const turn = agentOf(
      { allow: ['a.egress-test.example'], routes: [] },
      [
        'echo waiting',
        `for i in $(seq 600); do node -e 'require("node:http").get("http://127.0.0.1:3129/npm/@scope%2fpkg", (a) => process.exit(a.statusCode === 200 ? 0 : 1))' && echo reloaded && break; sleep 0.1; done`,
        'grep -c npm /etc/bot-bottle/current-config/routes.json',
      ].join('\n'),
    );
    await until(
      'the agent',
      async () => {
        const state = await bottle.runtime.inspect(bottle.slug, 'agent');
        return state?.status === 'running' ? true : undefined;
      },
      60_000,
    );
    const { replaceFiles } = await import('../../../src/adapters/files/run/replace-files.js');
    await replaceFiles(
      join(bottle.dir, 'config'),
      [
        ['allowlist', ''],
        ['routes.json', JSON.stringify({ routes: [npm] })],
      ],
      { mode: 0o644, durable: false },
    );
    const { text } = await turn;
    assert.match(text, /^reloaded$/m);
    assert.match(text, /^1$/m);
  });

  it('has no forwarder and no variable in a bottle that allows nothing', async function () {
    this.timeout(120_000);
    const { text } = await agentOf(
      { allow: [], routes: [] },
      'echo "proxy: ${https_proxy-none}"; grep -c " 0A " /proc/net/tcp; ls /proc | grep -cE "^[0-9]+$"',
    );
    // The manifest's own variables are as it says, and lead nowhere.
    assert.match(text, /^proxy: http:\/\/evil\.example:1$/m);
    assert.match(text, /^0$/m);
  });

  it('ends with its agent: the forwarders keep no container alive', async function () {
    this.timeout(120_000);
    const began = Date.now();
    const { exitCode } = await agentOf({ allow: ['a.egress-test.example'], routes: [] }, 'exit 7');
    assert.equal(exitCode, 7);
    assert.equal((await bottle.runtime.inspect(bottle.slug, 'agent'))?.status, 'exited');
    assert.ok(Date.now() - began < 60_000);
  });
});
