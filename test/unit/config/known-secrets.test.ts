import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { knownSecrets } from '../../../src/config/known-secrets.js';
import { writeBoundSecret } from '../../../src/config/secret-binding.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { gitleaksProgram } from '../../../src/wiring/secret-guard-of-config.js';
import { useDirectories } from '../../support/webhook/temp-dir.js';

describe('the secrets of this machine', () => {
  let home: string;
  useDirectories((directory) => {
    home = directory;
  });
  const put = (name: string, value: string, mode = 0o600): string => {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, value, { mode });
    chmodSync(file, mode);
    return file;
  };

  it('are the configured ones and all of secrets/, each once', () => {
    const files = {
      FORGE_TOKEN_FILE: put('secrets/forge-token', 'forge-token-value\n'),
      FORGE_PUBLISH_TOKEN_FILE: put('elsewhere/publish', 'publish-token-value'),
      WEBHOOK_SECRET_FILE: path.join(home, 'secrets/webhook-secret'),
      NOTIFY_WEBHOOK_SECRET_FILE: put('elsewhere/notify', 'notify-secret-value'),
    };
    put('secrets/anthropic', 'model-key-value');
    put('secrets/readable-by-all', 'refused-elsewhere', 0o644);
    put('secrets/lines', 'first line\nsecond line\n');
    put('secrets/short', 'short');
    put('secrets/large', 'x'.repeat(70_000));
    execFileSync('mkfifo', [path.join(home, 'secrets/pipe')]);
    const found = knownSecrets({ BOT_BOTTLE_HOME: home, TEMPORAL_CODEC_KEYS: null, ...files });
    assert.deepEqual(found.map(({ name, value }) => `${name}=${value}`).sort(), [
      'anthropic=model-key-value',
      'forge-token=forge-token-value',
      'lines=first line\nsecond line',
      'notify=notify-secret-value',
      'publish=publish-token-value',
      'readable-by-all=refused-elsewhere',
    ]);
  });

  it('are not the hosts that a secret is bound to', () => {
    writeBoundSecret(home, 'model-key', Buffer.from('model-key-value'), ['registry.lan:8443']);
    const missing = path.join(home, 'secrets/x');
    const files = {
      FORGE_TOKEN_FILE: missing,
      FORGE_PUBLISH_TOKEN_FILE: null,
      WEBHOOK_SECRET_FILE: missing,
      NOTIFY_WEBHOOK_SECRET_FILE: missing,
    };
    assert.deepEqual(knownSecrets({ BOT_BOTTLE_HOME: home, TEMPORAL_CODEC_KEYS: null, ...files }), [
      { name: 'model-key', value: 'model-key-value' },
    ]);
  });

  it('are none in a home without any', () => {
    const missing = path.join(home, 'secrets/x');
    const files = {
      FORGE_TOKEN_FILE: missing,
      FORGE_PUBLISH_TOKEN_FILE: null,
      WEBHOOK_SECRET_FILE: missing,
      NOTIFY_WEBHOOK_SECRET_FILE: missing,
    };
    assert.deepEqual(knownSecrets({ BOT_BOTTLE_HOME: home, TEMPORAL_CODEC_KEYS: null, ...files }), []);
  });

  it('a scanner that is not there is an error that says what to do', () => {
    assert.equal(gitleaksProgram({ GITLEAKS: '/opt/gitleaks' }), '/opt/gitleaks');
    assert.throws(
      () => gitleaksProgram({ GITLEAKS: 'no-such-gitleaks' }),
      (error) =>
        error instanceof InvalidInputError &&
        /script\/bootstrap --only gitleaks.*GITLEAKS.*FORGE_SECRET_SCAN=off/.test(error.message),
    );
  });
});
