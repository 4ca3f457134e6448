import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { openInbox } from '../../../../src/adapters/sqlite/inbox/open-inbox.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { createLogger } from '../../../../src/config/log.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { forgeOfConfig } from '../../../../src/wiring/forge-of-config.js';
import { startWebhook } from '../../../../src/wiring/webhook/start-webhook.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('a second webhook, whose port is taken by the first', () => {
  const path = useTempDir();

  it('leaves the deliveries of the first alone', async () => {
    mkdirSync(path('home'), { mode: 0o700 });
    const inbox = openInbox(path('home/inbox.db'));
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    try {
      const delivery = {
        bodyHash: 'ab'.repeat(32),
        eventType: 'issues',
        receivedAt: 0,
        orderKey: 'o',
        hint: '',
      };
      await inbox.accept(delivery);
      const { config } = loadConfig({
        BOT_BOTTLE_HOME: path('home'),
        FORGE_GITEA_API: 'http://127.0.0.1:9',
        WEBHOOK_LISTEN: `127.0.0.1:${String((first.address() as AddressInfo).port)}`,
      });
      const log = createLogger({
        ...{ level: 'fatal', name: 'webhook', secrets: () => new Set<string>() },
        destination: { write: () => undefined },
      });
      await assert.rejects(
        startWebhook(config, { forge: forgeOfConfig(config), secret: 'a-secret', log }),
        InvalidInputError,
      );
      // A dispatcher looks, and marks what makes no sense, at once.
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      assert.deepEqual(inbox.decisions(10), []);
    } finally {
      first.close();
      inbox.close();
    }
  });
});
