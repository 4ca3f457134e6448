import assert from 'node:assert/strict';
import { loadConfig, type Config } from '../../../src/config/load-config.js';
import { notifySecret } from '../../../src/wiring/notify-hooks.js';
import { publishToken, sidecarToken, webhookSecret } from '../../../src/wiring/secrets-of-config.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('a secret of the orchestrator that is missing', () => {
  const path = useTempDir();
  const config = (env: Readonly<Record<string, string>>): Config =>
    loadConfig({ BOT_BOTTLE_HOME: path('home'), ...env }).config;

  const rows = [
    ['FORGE_TOKEN_FILE', 'forge-token', sidecarToken],
    ['FORGE_PUBLISH_TOKEN_FILE', 'publish-token', publishToken],
    ['WEBHOOK_SECRET_FILE', 'webhook-secret', webhookSecret],
    ['NOTIFY_WEBHOOK_SECRET_FILE', 'notify-secret', notifySecret],
  ] as const;
  for (const [setting, name, read] of rows)
    it(`is set by the command, or where ${setting} says`, () => {
      const usual = `secrets/${name}`;
      assert.throws(() => read(config({ [setting]: usual })), {
        message: `${path('home')}/${usual} is missing: bot-bottle secret set ${name} < file`,
      });
      const file = path('elsewhere');
      assert.throws(() => read(config({ [setting]: file })), {
        message: `${file} is missing: write the secret to ${file}, mode 600`,
      });
    });
});
