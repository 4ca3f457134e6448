import assert from 'node:assert/strict';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import tls from 'node:tls';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { httpsUpstream } from '../../../support/egress/upstreams.js';
import { privateCa } from '../../../support/gitea/tls-front.js';
import { until } from '../../../support/bundle/until.js';
import { connectThrough, drained, openTunnel } from '../../../support/egress/clients.js';
import { HOST, withTunnels } from '../../../support/egress/tunnels.js';

const MIB = 1024 * 1024;

describe('the forward proxy with much to carry', () => {
  const { egress, served } = withTunnels();

  it('carries TLS from end to end', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-ca-'));
    try {
      const ca = await privateCa(dir, [`DNS:${HOST}`]);
      const { port } = await httpsUpstream(ca, (_request, response) => response.end('over TLS'));
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(`${HOST}:${String(port)}`);
      await egress().start();
      const { socket } = await connectThrough(egress().socket, `${HOST}:${String(port)}`);
      const secure = tls.connect({ socket, servername: HOST, ca: [readFileSync(ca.caFile, 'utf8')] });
      secure.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      let text = '';
      for await (const chunk of secure) text += String(chunk);
      assert.match(text, /over TLS/);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('keeps no more of a download than its client takes', async () => {
    const chunk = Buffer.alloc(MIB);
    let written = 0;
    const at = await served((socket) => {
      const more = (): void => {
        while (written < 256) {
          written += 1;
          if (!socket.write(chunk)) {
            socket.once('drain', more);
            return;
          }
        }
        socket.end();
      };
      more();
    });
    await egress().start();
    const { socket } = await openTunnel(egress().socket, at);
    // Nobody reads: the server must come to a stop long before it has sent everything.
    let before = -1;
    await until(
      'a server that waits',
      async () => {
        const now = written;
        await new Promise((resolve) => setTimeout(resolve, 100));
        const isStill = now === written && now === before;
        before = now;
        return isStill ? true : undefined;
      },
      20_000,
    );
    assert.ok(written < 64, `${String(written)} MiB were taken`);
    socket.destroy();
  });

  it('carries 200 connections at a time', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    const open = await Promise.all(Array.from({ length: 200 }, () => openTunnel(egress().socket, at)));
    assert.ok(open.every(({ status }) => status === 200));
    const echoes = await Promise.all(
      open.map(async ({ socket }, index) => {
        const got = drained(socket);
        socket.end(String(index));
        return (await got).toString();
      }),
    );
    assert.deepEqual(
      echoes,
      open.map((_, index) => String(index)),
    );
  });
});
