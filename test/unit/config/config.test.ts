import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import {
  codecKeyFiles,
  loadConfig,
  ownSecretFiles,
  publishTokenFile,
  requireSetting,
} from '../../../src/config/load-config.js';
import type { Environment, LoadedConfig } from '../../../src/config/load-config.js';
import { ensureHome } from '../../../src/config/home.js';
import { writeSecret } from '../../../src/config/secrets.js';
import { SETTING_ROWS } from '../../../src/config/settings.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { useDirectories } from '../../support/webhook/temp-dir.js';

describe('configuration', () => {
  let home: string;
  useDirectories((directory) => {
    home = directory;
  });

  const load = (env: Environment = {}): LoadedConfig => loadConfig({ BOT_BOTTLE_HOME: home, ...env });
  const write = (text: string): void => {
    writeFileSync(path.join(home, 'config.yaml'), text, { mode: 0o600 });
  };
  const messageOf = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof InvalidInputError, String(error));
      return error.message;
    }
    return assert.fail('nothing was refused');
  };
  it('finds each key of the codec in a secret of its own, the first one first', () => {
    assert.deepEqual(codecKeyFiles(load().config), []);
    write('TEMPORAL_CODEC_KEYS: [2026-12, 2026-11]\n');
    const { config } = load();
    assert.deepEqual(
      codecKeyFiles(config).map(({ name }) => name),
      ['temporal-codec-2026-12', 'temporal-codec-2026-11'],
    );
    assert.ok(ownSecretFiles(config).includes(path.join(home, 'secrets/temporal-codec-2026-11')));
    const message = messageOf(() => load({ TEMPORAL_CODEC_KEYS: '../forge-token' }));
    assert.match(message, /TEMPORAL_CODEC_KEYS: expected ids of keys/);
  });

  it('without a file or a variable, every documented default is in effect', () => {
    const { config } = load();
    assert.equal(config.FORGE_ORG, 'bot-bottle');
    assert.deepEqual(config.FORGE_REPOS, ['*']);
    assert.equal(config.FORGE_WATCHDOG_TIMEOUT, 30 * 60_000);
    assert.equal(config.BOTTLE_TURN_TIMEOUT, 60 * 60_000);
    assert.equal(config.BOTTLE_DONE_GRACE, 20_000);
    assert.equal(config.BOTTLE_NUDGES, 1);
    assert.equal(config.BOTTLE_SLOTS, availableParallelism());
    assert.equal(config.BUNDLE_NETWORK, 'bridge');
    assert.deepEqual(config.WEBHOOK_LISTEN, { host: '127.0.0.1', port: 8080 });
    assert.equal(config.WEBHOOK_MAX_BYTES, 1024 * 1024);
    assert.equal(config.FORGE_TOKEN_FILE, path.join(home, 'secrets/forge-token'));
    assert.equal(config.FORGE_GITEA_API, null);
  });

  it('the environment wins over the file, the file over the default, and each says so', () => {
    write('# mine\nFORGE_ORG: from-file\nBOTTLE_NUDGES: 3\n');
    const { config, effective } = load({ FORGE_ORG: 'from-env' });
    assert.equal(config.FORGE_ORG, 'from-env');
    assert.equal(config.BOTTLE_NUDGES, 3);
    const shown = new Map(effective.map((row) => [row.name, row]));
    assert.deepEqual(shown.get('FORGE_ORG'), { name: 'FORGE_ORG', value: 'from-env', source: 'environment' });
    assert.deepEqual(shown.get('BOTTLE_NUDGES'), {
      name: 'BOTTLE_NUDGES',
      value: '3',
      source: 'file',
      line: 3,
    });
    assert.equal(shown.get('FORGE_ACK')?.source, 'default');
  });

  it('an empty variable counts as not set', () => {
    assert.equal(load({ FORGE_ORG: '' }).config.FORGE_ORG, 'bot-bottle');
  });

  it('all problems are reported at once, each with its line', () => {
    write('BOTTLE_SLOTS: many\nnonsense: 1\nFORGE_WATCHDOG_TIMEOUT: 30\n');
    const lines = messageOf(() => load({ BUNDLE_NETWORK: 'host' })).split('\n');
    assert.equal(lines.length, 4);
    assert.ok(lines.some((line) => line.startsWith('config.yaml:1: BOTTLE_SLOTS')));
    assert.ok(lines.some((line) => line.startsWith('config.yaml:2: unknown setting nonsense')));
    assert.ok(lines.some((line) => line.startsWith('config.yaml:3: FORGE_WATCHDOG_TIMEOUT')));
    assert.ok(lines.some((line) => line.startsWith('environment: BUNDLE_NETWORK')));
  });

  it('broken YAML, a name twice, an alias, a nested map and an empty value each name their line', () => {
    for (const [text, line] of [
      ['FORGE_ORG: a\nFORGE_ORG: b\n', 2],
      ['FORGE_ORG: [a\n', 2],
      ['FORGE_ORG: &a x\nFORGE_ACK: *a\n', 2],
      ['FORGE_ACK: none\nFORGE_ORG:\n  x: 1\n', 2],
      ['FORGE_ACK: none\nFORGE_ORG:\n', 2],
      ['just text\n', 1],
    ] as const) {
      write(text);
      assert.match(messageOf(load), new RegExp(`^config\\.yaml:${String(line)}: `), text);
    }
  });

  it('a list may be written as a list in the file and with commas in the environment', () => {
    write('FORGE_REPOS:\n  - alice/*\n  - bob/demo\n');
    assert.deepEqual(load().config.FORGE_REPOS, ['alice/*', 'bob/demo']);
    assert.deepEqual(load({ FORGE_REPOS: 'a/b, c/*' }).config.FORGE_REPOS, ['a/b', 'c/*']);
  });

  it('a repository may be named as the forge lets it begin', () => {
    const names = ['a/.profile', 'a/_site', 'a/-x'];
    assert.deepEqual(load({ FORGE_REPOS: names.join() }).config.FORGE_REPOS, names);
    for (const bad of ['a/.', 'a/..', 'a/-', '-a/b', '.a/*', 'alice', 'a/b/c', 'a/web-*', '*/b'])
      assert.match(
        messageOf(() => load({ FORGE_REPOS: bad })),
        /expected patterns like/,
      );
  });

  it('host networking for the bundle is refused', () => {
    assert.match(
      messageOf(() => load({ BUNDLE_NETWORK: 'host' })),
      /never host/,
    );
    assert.match(
      messageOf(() => load({ BUNDLE_NETWORK: 'container:x' })),
      /BUNDLE_NETWORK/,
    );
  });

  it('a secret in a wrong place is never repeated by the error', () => {
    const token = '8d1f0a4be2c34f7d9a55';
    write(`FORGE_TOKEN_FILE: ${token}\nFORGE_TOKEN: ${token}\nTEMPORAL_CODEC_KEYS: ${token}=\n`);
    const message = messageOf(() =>
      load({
        WEBHOOK_SECRET_FILE: token,
        NOTIFY_COMMAND: token,
        NOTIFY_WEBHOOK_URL: `https://hooks.example/x?token=${token}`,
        FORGE_GITEA_API: `https://bot:${token}@git.example/api/v1`,
        REGISTRY_NPM: `https://npm.example/, https://bot:${token}@npm.example/`,
        MODEL_OPENAI_URL: `${token}@gateway.example`,
        TEMPORAL_ADDRESS: `user:${token}@temporal.example:7233`,
      }),
    );
    assert.equal(message.includes(token), false, message);
    assert.equal(message.split('\n').length, 10);
    assert.match(message, /config\.yaml:1: FORGE_TOKEN_FILE/);
    assert.match(message, /config\.yaml:2: unknown setting FORGE_TOKEN/);
    assert.match(message, /environment: FORGE_GITEA_API: credentials do not belong in an address/);
  });

  it('what is shown has the state of a secret, never its content', () => {
    mkdirSync(path.join(home, 'secrets'), { mode: 0o700 });
    const content = 'very-secret-token-value';
    writeFileSync(path.join(home, 'secrets/forge-token'), `${content}\n`, { mode: 0o600 });
    writeFileSync(path.join(home, 'secrets/webhook-secret'), `${content}\n`, { mode: 0o644 });
    const { effective } = load();
    assert.equal(JSON.stringify(effective).includes(content), false);
    const stateOf = (name: string): unknown => effective.find((row) => row.name === name)?.secret;
    assert.equal(stateOf('FORGE_TOKEN_FILE'), 'set');
    chmodSync(path.join(home, 'secrets/webhook-secret'), 0o644);
    assert.equal(load().effective.find((row) => row.name === 'WEBHOOK_SECRET_FILE')?.secret, 'unusable');
    assert.equal(
      load({ FORGE_TOKEN_FILE: '/nowhere/x' }).effective.find((row) => row.name === 'FORGE_TOKEN_FILE')
        ?.secret,
      'missing',
    );
  });

  it('one token for sidecar and publishing works and is warned about; two are not', () => {
    writeSecret(home, 'forge-token', new TextEncoder().encode('a-token-that-is-long'));
    const one = load();
    assert.equal(publishTokenFile(one.config), one.config.FORGE_TOKEN_FILE);
    assert.match(one.warnings.join(), /FORGE_PUBLISH_TOKEN_FILE/);
    const two = load({ FORGE_PUBLISH_TOKEN_FILE: 'secrets/publish' });
    assert.equal(publishTokenFile(two.config), path.join(home, 'secrets/publish'));
    assert.deepEqual(two.warnings, []);
  });

  it('no token at all is not warned about as one', () => {
    assert.deepEqual(load().warnings, []);
    assert.deepEqual(load({ FORGE_TOKEN_FILE: '/nowhere/token' }).warnings, []);
  });

  it('a setting that a command needs names itself and the file it belongs in', () => {
    assert.match(
      messageOf(() => requireSetting(load().config, 'FORGE_GITEA_API')),
      /^FORGE_GITEA_API is not set: add .*config\.yaml/,
    );
    const { config } = load({ FORGE_GITEA_API: 'http://127.0.0.1:3000/api/v1' });
    assert.equal(requireSetting(config, 'FORGE_GITEA_API'), 'http://127.0.0.1:3000/api/v1');
  });

  it('a file or a home that others can write is refused with the command that repairs it', () => {
    write('FORGE_ORG: x\n');
    chmodSync(path.join(home, 'config.yaml'), 0o666);
    assert.match(messageOf(load), /chmod 600/);
    chmodSync(home, 0o770);
    assert.match(messageOf(load), /chmod 700/);
    chmodSync(home, 0o1777);
    assert.match(messageOf(load), /who could then be you: choose another BOT_BOTTLE_HOME$/);
    chmodSync(home, 0o700);
  });

  it('a file or a home that cannot be read says whose they must be', () => {
    mkdirSync(path.join(home, 'config.yaml'));
    assert.match(messageOf(load), /config\.yaml is not a regular file/);
    // Root may read anything but this.
    const loop = path.join(home, 'loop');
    symlinkSync(loop, loop);
    assert.throws(() => loadConfig({ BOT_BOTTLE_HOME: loop }), InvalidInputError);
    if (process.getuid?.() === 0) return;
    rmSync(path.join(home, 'config.yaml'), { recursive: true });
    write('FORGE_ORG: x\n');
    chmodSync(path.join(home, 'config.yaml'), 0o000);
    assert.match(messageOf(load), /cannot be read by this user: it must be yours, mode 600/);
  });

  it('a new home is made for its owner alone', () => {
    const fresh = path.join(home, 'deep/er');
    ensureHome(fresh);
    assert.equal(loadConfig({ BOT_BOTTLE_HOME: fresh }).config.BOT_BOTTLE_HOME, fresh);
    chmodSync(fresh, 0o777);
    assert.throws(() => ensureHome(fresh), InvalidInputError);
  });

  it('a relative home is refused', () => {
    assert.throws(() => loadConfig({ BOT_BOTTLE_HOME: 'here' }), /absolute/);
  });

  it('no text of the file makes it fail without saying where', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60, size: 'max' }), (text) => {
        write(text);
        try {
          load();
        } catch (error) {
          assert.ok(error instanceof InvalidInputError);
          assert.match(error.message, /^config\.yaml:\d+: /);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('every setting has a description and a default that its own parser accepts', () => {
    for (const [name, setting] of SETTING_ROWS) {
      assert.ok(setting.description.length > 10, name);
      assert.ok(setting.fallbackText ?? typeof setting.fallback === 'string', `${name} documents no default`);
    }
  });
});
