import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { connectThrough, drained } from '../../../support/egress/clients.js';
import { withEgress } from '../../../support/egress/egress-here.js';
import { HOST } from '../../../support/egress/tunnels.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

describe('a tunnel and the host that its TLS hello is for', () => {
  const egress = withEgress();

  it('opens for real handshakes: TLS 1.2 and 1.3, resumed ones, and one with a second hello', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-hello-'));
    const names: string[] = [];
    let server: tls.Server | undefined;
    try {
      const { key, cert, caFile } = await privateCa(dir, [`DNS:${HOST}`]);
      server = tls.createServer(
        {
          key,
          cert,
          ecdhCurve: 'secp384r1',
          SNICallback: (name, answer) => {
            names.push(name);
            answer(null);
          },
        },
        (socket) => socket.on('error', () => undefined).end('over TLS'),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const at = `${HOST}:${String(port)}`;
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(at);
      await egress().start();
      const ca = readFileSync(caFile);
      let session: Buffer | undefined;
      for (const more of [
        { maxVersion: 'TLSv1.2' },
        { minVersion: 'TLSv1.3' },
        // The first share is not of the server's group, so that it asks again.
        { minVersion: 'TLSv1.3', ecdhCurve: 'X25519:secp384r1' },
        { minVersion: 'TLSv1.3', ecdhCurve: 'X25519:secp384r1', resumed: true },
      ] as const) {
        const { socket } = await connectThrough(egress().socket, at);
        const secure = tls.connect({
          ...{ socket, servername: HOST, ca, ...more },
          ...('resumed' in more && session !== undefined ? { session } : {}),
        });
        secure.on('session', (given: Buffer) => (session = given));
        const text = (await drained(secure)).toString();
        assert.equal(text, 'over TLS');
        assert.equal(secure.isSessionReused(), 'resumed' in more);
        secure.destroy();
      }
      assert.deepEqual(new Set(names), new Set([HOST]));
    } finally {
      server?.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
