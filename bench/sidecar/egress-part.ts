/**
 * One process of the egress benchmark, by its first argument: `server` (files over TLS), `hop` (the loopback port that
 * stands for socat in the agent's container) or `plane` (the egress plane as the sidecar has it, but for names that lead to
 * loopback, which the product refuses). Prints one JSON line when it serves; ends with its standard input.
 */
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { openEgressPlane } from '../../src/bundle/egress/egress-plane.js';
import { NO_BUDGET } from '../../src/domain/run/model-use.js';

const [, , role = '', directory = ''] = process.argv;
const CHUNK = Buffer.alloc(256 * 1024, 'x');

function listening(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  });
}

function server(): void {
  const keys = {
    key: readFileSync(join(directory, 'key.pem')),
    cert: readFileSync(join(directory, 'cert.pem')),
  };
  listening(
    https.createServer(keys, (request, response) => {
      let left = Number((request.url ?? '').slice(1));
      response.setHeader('content-length', left);
      const more = (): void => {
        while (left > 0) {
          const part = CHUNK.subarray(0, left);
          left -= part.length;
          if (!response.write(part)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    }),
  );
}

function hop(): void {
  listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      const inner = connect({ path: join(directory, 'egress.sock'), allowHalfOpen: true });
      socket.on('error', () => inner.destroy());
      inner.on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    }),
  );
}

async function plane(): Promise<void> {
  await openEgressPlane({
    paths: {
      egressSocket: join(directory, 'egress.sock'),
      credentialSocket: join(directory, 'credentials.sock'),
      config: directory,
      secrets: directory,
      caFile: join(directory, 'none'),
    },
    budget: NO_BUDGET,
    prices: [],
    uploadBytes: 2 ** 40,
    report: () => Promise.resolve(),
    log: () => undefined,
    now: Date.now,
    network: { resolve: () => Promise.resolve(['127.0.0.1']), policy: (address) => address === '127.0.0.1' },
  });
  console.log(JSON.stringify({ port: 0 }));
}

process.stdin.resume().once('end', () => process.exit(0));
if (role === 'server') server();
else if (role === 'hop') hop();
else await plane();
