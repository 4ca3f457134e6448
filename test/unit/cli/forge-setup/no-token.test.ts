import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { runForgeSetup } from '../../../../src/cli/forge-setup/run.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { UnusableSecretError } from '../../../../src/domain/base/errors.js';
import { forgeSetup } from '../../../../src/wiring/forge-setup.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('forge setup without any token', () => {
  const path = useTempDir();

  it('is refused before anything is made', async () => {
    const home = path('home');
    const { config } = loadConfig({
      BOT_BOTTLE_HOME: home,
      FORGE_GITEA_API: 'http://127.0.0.1:9',
      WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
    });
    const request = {
      targets: [{ kind: 'repo', owner: 'alice', repo: 'demo' }] as const,
      url: null,
      adminToken: null,
      dryRun: false,
      remove: false,
      test: false,
      webhook: true,
      allLabels: false,
      waitMs: 0,
      ending: new AbortController().signal,
    };
    const reported: unknown[] = [];
    await assert.rejects(
      async () => runForgeSetup(forgeSetup(config), request, (item) => reported.push(item)),
      UnusableSecretError,
    );
    assert.deepEqual(reported, []);
    assert.equal(existsSync(home), false);
  });
});
