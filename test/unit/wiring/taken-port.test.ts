import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadConfig } from '../../../src/config/load-config.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { onFreePort } from '../../../src/wiring/free-port.js';
import { serveCodecServer } from '../../../src/wiring/services/serve-codec.js';
import { listen } from '../../../src/webhook/door/listen.js';
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

  it('is told the same way for an address that this machine does not have', async () => {
    // Set aside for documents (RFC 5737), and a name that never resolves (RFC 6761).
    for (const host of ['203.0.113.9', 'nowhere.invalid']) {
      const address = { host, port: 8080 };
      await assert.rejects(
        onFreePort('WEBHOOK_LISTEN', address, () => listen(() => undefined, address)),
        (error) => {
          assert.ok(error instanceof InvalidInputError, String(error));
          assert.equal(
            error.message,
            `WEBHOOK_LISTEN: this machine has no address ${host}: set one that it has, or leave the setting out for loopback`,
          );
          return true;
        },
      );
    }
  });

  it('is told the same way for one that only root may take, and any other fault as it is', async () => {
    const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
    const address = { host: '127.0.0.1', port: 80 };
    await assert.rejects(
      onFreePort('API_LISTEN', address, failing('EACCES')),
      /^InvalidInputError: API_LISTEN: this user may not listen at 127\.0\.0\.1:80: set a port from 1024 on$/,
    );
    await assert.rejects(onFreePort('API_LISTEN', address, failing('EMFILE')), /^Error: EMFILE$/);
  });
});
