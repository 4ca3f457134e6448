/**
 * A download over TLS through the egress plane (a loopback port as in the agent's container, the Unix socket, CONNECT, the
 * allowlist) against the same download straight from the same server on loopback, by the same client, rounds taking
 * turns.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { BUNDLE_MALLOC, BUNDLE_NODE_FLAGS } from '../../src/adapters/docker/bundle-container.js';
import { build } from 'esbuild';
import { privateCa } from '../../test/support/gitea/tls-front.js';
import { cleaningUp, inDirectory } from '../base/clean-up.js';
import { ratioFigure, short, type Figure } from '../base/figure.js';
import { MIB, residentSet } from '../base/resident-set.js';

const HOST = 'files.example.org';
const DOWNLOAD_BYTES = 128 * MIB;
const HELD_CONNECTIONS = 100;

export async function egressRatio(rounds: number): Promise<Figure> {
  const parts: Part[] = [];
  return inDirectory((directory) =>
    cleaningUp(
      () => Promise.all(parts.map((part) => part.stop())),
      () => measuredIn(directory, parts, rounds),
    ),
  );
}

async function measuredIn(directory: string, parts: Part[], rounds: number): Promise<Figure> {
  const program = await compile(directory);
  await privateCa(directory, [`DNS:${HOST}`]);
  const start = async (role: string): Promise<Part> => {
    const part = new Part(program, role, directory);
    parts.push(part);
    await part.serving();
    return part;
  };
  const server = await start('server');
  writeFileSync(join(directory, 'allowlist'), `${HOST}:${String(server.port)}\n`);
  writeFileSync(join(directory, 'routes.json'), '{"routes": []}');
  const plane = await start('plane');
  const idle = await plane.residentMib();
  const hop = await start('hop');
  const ca = readFileSync(join(directory, 'ca.pem'));
  const direct = (): Promise<number> => download({ port: server.port, ca });
  const proxied = async (): Promise<number> =>
    download({ port: server.port, ca, socket: await tunnel(hop.port, server.port) });
  // Warms up.
  await direct();
  await proxied();
  const measured: { measured: number; floor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const floor = isFirst ? await direct() : undefined;
    const through = await proxied();
    measured.push({ measured: through / MIB, floor: (floor ?? (await direct())) / MIB });
  }
  const held = await Promise.all(
    Array.from({ length: HELD_CONNECTIONS }, async () => {
      const socket = connect({ socket: await tunnel(hop.port, server.port), servername: HOST, ca });
      await once(socket, 'secureConnect');
      return socket;
    }),
  );
  const busy = await plane.residentMib();
  for (const socket of held) socket.destroy();
  return ratioFigure(measured, {
    goal: 0.5,
    better: 'more',
    unit: '/s',
    notes: [
      `MiB a second, ${String(DOWNLOAD_BYTES / MIB)} MiB a download over TLS`,
      `memory of the plane's process: ${short(idle)} MiB before its first connection, ${short(busy)} MiB with ${String(HELD_CONNECTIONS)} open ones after the downloads`,
    ],
  });
}

/** As the sidecar's image has it: compiled, in pieces that are loaded when they are needed. */
async function compile(outdir: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL('egress-part.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    splitting: true,
    outdir,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  return join(outdir, 'egress-part.mjs');
}

class Part {
  port = 0;
  readonly #child: ChildProcess;

  constructor(program: string, role: string, directory: string) {
    const isSidecar = role === 'plane';
    this.#child = spawn(
      process.execPath,
      [...(isSidecar ? BUNDLE_NODE_FLAGS : []), program, role, directory],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, ...(isSidecar ? BUNDLE_MALLOC : {}) },
      },
    );
  }

  async serving(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no output');
    const [line] = (await once(createInterface(stdout), 'line')) as [string];
    this.port = (JSON.parse(line) as { readonly port: number }).port;
  }

  async residentMib(): Promise<number> {
    return (await residentSet(this.#child.pid ?? 0)).bytes / MIB;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }
}

function tunnel(hopPort: number, serverPort: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const path = `${HOST}:${String(serverPort)}`;
    http
      .request({ host: '127.0.0.1', port: hopPort, method: 'CONNECT', path })
      .on('connect', (response, socket: Socket) => {
        if (response.statusCode === 200) resolve(socket);
        else reject(new Error(`CONNECT was answered ${String(response.statusCode)}`));
      })
      .on('error', reject)
      .end();
  });
}

/** Bytes a second of one download. Errors: when it was not whole. */
function download(way: {
  readonly port: number;
  readonly ca: Buffer;
  readonly socket?: Socket;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const { port, ca, socket } = way;
    https
      .get(
        {
          host: '127.0.0.1',
          port,
          path: `/${String(DOWNLOAD_BYTES)}`,
          ca,
          agent: false,
          servername: HOST,
          ...(socket === undefined ? {} : { socket }),
        },
        (response) => {
          let size = 0;
          response.on('data', (chunk: Buffer) => (size += chunk.length));
          response.on('error', reject);
          response.on('end', () => {
            if (size === DOWNLOAD_BYTES) resolve(size / ((performance.now() - began) / 1000));
            else reject(new Error(`${String(size)} bytes instead of ${String(DOWNLOAD_BYTES)}`));
          });
        },
      )
      .on('error', reject);
  });
}
