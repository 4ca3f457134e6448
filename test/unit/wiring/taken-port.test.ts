import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadConfig } from '../../../src/config/load-config.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { serveCodecServer } from '../../../src/wiring/services/serve-codec.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('a port that is taken', () => {
  const path = useTempDir();

  it('is told with the setting to change', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      mkdirSync(path('home/secrets'), { recursive: true, mode: 0o700 });
      const key = Buffer.alloc(32, 7).toString('base64');
      writeFileSync(path('home/secrets/temporal-codec-one'), key, { mode: 0o600 });
      const { config } = loadConfig({
        BOT_BOTTLE_HOME: path('home'),
        TEMPORAL_CODEC_KEYS: 'one',
        TEMPORAL_CODEC_PORT: String(port),
      });
      await assert.rejects(
        serveCodecServer(config, () => undefined),
        (error) => {
          assert.ok(error instanceof InvalidInputError, String(error));
          assert.match(
            error.message,
            /^TEMPORAL_CODEC_PORT: another program listens at 127\.0\.0\.1:\d+: stop it/,
          );
          return true;
        },
      );
    } finally {
      other.close();
    }
  });
});
