import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { dockerCompose } from '../../support/compose/program.js';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const FILE = path.join(ROOT, 'docker-compose.yml');
const HOME = '/srv/bot-bottle';

interface Service {
  readonly image: string;
  readonly ports?: readonly (string | { readonly host_ip?: string; readonly published: number | string })[];
  readonly volumes?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly networks: Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
  readonly privileged?: boolean;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly command?: readonly string[];
  readonly pull_policy?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Composed {
  readonly services: Readonly<Record<string, Service>>;
}

/** What `docker compose` makes of the file. */
function composed(env: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const args = ['--profile', 'gitea', '-f', FILE, 'config'];
  return spawnSync(dockerCompose(), args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
  });
}

describe('docker-compose.yml', function () {
  this.timeout(60_000);
  let services: Readonly<Record<string, Service>>;

  before(() => {
    const result = composed({ BOT_BOTTLE_HOME: HOME });
    assert.equal(result.status, 0, result.stderr);
    // Such as of a key that is obsolete, or a variable that is not set.
    assert.equal(result.stderr, '');
    services = (parse(result.stdout) as Composed).services;
  });

  const mountsOf = (name: string): string[] =>
    (services[name]?.volumes ?? []).map((volume) =>
      typeof volume === 'string' ? volume : `${volume.source}:${volume.target}`,
    );

  it('is accepted, with every service', () => {
    assert.deepEqual(Object.keys(services).sort(), [
      'gitea',
      'postgres',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
      'temporal-setup',
      'temporal-ui',
      'webhook',
      'worker',
    ]);
  });

  it('publishes on 127.0.0.1 only, and only what people or the forge call', () => {
    const published: string[] = [];
    for (const [name, { ports = [], network_mode: mode }] of Object.entries(services)) {
      assert.notEqual(mode, 'host', name);
      for (const port of ports) {
        const loopback =
          typeof port === 'string' ? port.startsWith('127.0.0.1:') : port.host_ip === '127.0.0.1';
        assert.ok(loopback, `${name} publishes ${JSON.stringify(port)}`);
        published.push(name);
      }
    }
    assert.deepEqual(published.sort(), ['gitea', 'temporal-ui', 'webhook']);
  });

  it('mounts the home at the same path everywhere, and the engine’s socket into the worker alone', () => {
    for (const name of ['worker', 'webhook', 'temporal-setup']) {
      assert.ok(
        mountsOf(name).some((mount) => mount.startsWith(`${HOME}:${HOME}`)),
        name,
      );
    }
    const withSocket = Object.keys(services).filter((name) =>
      mountsOf(name).some((mount) => mount.includes('docker.sock')),
    );
    assert.deepEqual(withSocket, ['worker']);
  });

  it('pins every image to a version', () => {
    for (const [name, { image, privileged }] of Object.entries(services)) {
      assert.match(image, /^bot-bottle\/orchestrator:dev$|:\d+\.\d+(\.\d+)?(-alpine)?$/, name);
      assert.notEqual(privileged, true, name);
    }
  });

  it('names the versions of Temporal and Gitea that the tests run', () => {
    const versions = readFileSync(path.join(ROOT, 'script/lib/versions.sh'), 'utf8');
    const pinned = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(versions)?.[1] ?? 'none';
    const images = Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]));
    const server = pinned('TEMPORAL_SERVER_VERSION');
    assert.equal(images['temporal'], `temporalio/server:${server}`);
    assert.equal(images['temporal-schema'], `temporalio/admin-tools:${server}`);
    assert.equal(images['temporal-namespace'], `temporalio/admin-tools:${server}`);
    assert.equal(images['temporal-ui'], `temporalio/ui:${pinned('TEMPORAL_UI_VERSION')}`);
    assert.equal(images['gitea'], `gitea/gitea:${pinned('GITEA_VERSION')}`);
  });

  it('has a stand-in for each image of other people, and the test of the whole changes nothing else', () => {
    const standIns = readFileSync(path.join(ROOT, 'test/support/compose/stand-ins.yml'), 'utf8');
    const { services: replaced } = parse(standIns) as Composed;
    const others = Object.keys(services).filter((name) => !services[name]?.image.startsWith('bot-bottle/'));
    assert.deepEqual(Object.keys(replaced).sort(), others.sort());
    for (const [name, change] of Object.entries(replaced)) {
      assert.deepEqual(Object.keys(change), ['image'], name);
      assert.match(change.image, /^bot-bottle\/stand-in-[a-z-]+:dev$/, name);
    }
  });

  it('runs our own image with a command each, and the one that faces the network with no right to anything', () => {
    const commands = Object.fromEntries(
      Object.entries(services)
        .filter(([, { image }]) => image === 'bot-bottle/orchestrator:dev')
        .map(([name, { command, security_opt: options, pull_policy: pull }]) => {
          assert.deepEqual(options, ['no-new-privileges:true'], name);
          // It has the home: none that a registry has under this name.
          assert.equal(pull, 'never', name);
          return [name, command];
        }),
    );
    // That the image knows them: test/integration/orchestrator-image.
    assert.deepEqual(commands, {
      'temporal-setup': ['temporal', 'setup'],
      webhook: ['webhook'],
      worker: ['worker'],
    });
    assert.deepEqual(services['webhook']?.cap_drop, ['ALL']);
    assert.equal(services['webhook'].read_only, true);
  });

  it('has `forge setup` in the worker look where the webhook listens, and polling knock there', () => {
    const { environment = {} } = services['worker'] ?? {};
    const { WEBHOOK_LISTEN: listens = '' } = services['webhook']?.environment ?? {};
    const port = listens.split(':').at(-1) ?? '';
    assert.equal(environment['WEBHOOK_LISTEN'], `webhook:${port}`);
    assert.equal(environment['RECONCILE_DOOR'], `http://webhook:${port}`);
  });

  it('leaves a bundle on the forge’s network nothing to find but the forge', () => {
    const there = Object.keys(services).filter((name) => 'forge' in (services[name]?.networks ?? {}));
    assert.deepEqual(there, ['gitea']);
  });

  it('is refused without a home', () => {
    const result = composed({});
    assert.notEqual(result.status, 0);
    assert.match(result.stderr, /BOT_BOTTLE_HOME|absolute path of the home/);
  });
});
