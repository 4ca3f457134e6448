/**
 * Signed deliveries a second through the real door (application, inbox, durable commit), against raw express that only
 * verifies the HMAC of the same requests: same client, same connections, interleaved rounds.
 */
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { openInbox } from '../../src/adapters/sqlite/inbox/open-inbox.js';
import { createMetrics } from '../../src/webhook/door/metrics.js';
import { createWebhookApp } from '../../src/webhook/door/server.js';
import { cleaningUp, inDirectory } from '../base/clean-up.js';
import { ratioFigure, type Figure, type Round } from '../base/figure.js';

/** What both servers verify with. */
export const SECRET = 'bench';
const CONNECTIONS = 32;
const ROUNDS = 7;
const DELIVERIES = 2000;
/** About what Gitea sends for an issue: every user and repository in it has thirty fields. */
const BODY_BYTES = 8000;

type Server = 'door' | 'express';

export async function ingestRatio(): Promise<Figure> {
  return inDirectory(async (directory) => {
    const children = (['door', 'express'] as const).map((server) =>
      startServer(server, join(directory, 'inbox.db')),
    );
    return cleaningUp(
      () => Promise.all(children.map((child) => child.stop())),
      async () => {
        const [door = 0, raw = 0] = await Promise.all(children.map((child) => child.port));
        const measured: Round[] = [];
        // The first round warms both up and is not counted.
        for (let round = 0; round <= ROUNDS; round += 1) {
          const rate = { door: 0, express: 0 };
          const both = [['door', door] as const, ['express', raw] as const];
          for (const [server, port] of round % 2 === 1 ? both.toReversed() : both)
            rate[server] = await measure(port, round);
          if (round > 0) measured.push({ measured: rate.door, floor: rate.express });
        }
        return ratioFigure(measured, { goal: 0.8, better: 'more', unit: '/s' });
      },
    );
  });
}

/** One of the two as a process of its own, on a free port. */
export function startServer(
  server: Server,
  inboxFile: string,
): { port: Promise<number>; stop: () => Promise<void> } {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, script, '--serve', server, inboxFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line');
  const port = Promise.race([
    line.then(([text]) => Number(text)),
    exited.then(() => Promise.reject(new Error(`the ${server} server ended at once`))),
  ]);
  port.catch(() => undefined);
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Deliveries a second. Requests are made ready before the clock starts; the client only writes and counts. */
async function measure(port: number, round: number): Promise<number> {
  const requests = Array.from({ length: DELIVERIES }, (_value, index) =>
    request(`${String(round)}-${String(index)}`, index),
  );
  const began = process.hrtime.bigint();
  let next = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, () => drive(port, () => requests[next++])));
  return DELIVERIES / (Number(process.hrtime.bigint() - began) / 1e9);
}

/** One keep-alive connection: the next request when the answer to the last one is complete. */
function drive(port: number, take: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let answer = '';
    const send = (): void => {
      const bytes = take();
      if (bytes === undefined) socket.end();
      else socket.write(bytes);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (chunk: string) => {
      answer += chunk;
      const headEnd = answer.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
      if (answer.length < headEnd + 4 + Number(length)) return;
      if (!answer.startsWith('HTTP/1.1 202 ')) reject(new Error(`not accepted: ${answer.slice(0, 200)}`));
      answer = '';
      send();
    });
    socket.on('close', () => {
      resolve();
    });
    socket.on('error', reject);
  });
}

function request(salt: string, index: number): Buffer {
  const user = { id: 2, login: 'alice' };
  const body = JSON.stringify({
    action: 'label_updated',
    number: (index % 50) + 1,
    issue: {
      id: 1,
      number: (index % 50) + 1,
      title: salt,
      labels: [{ id: 1, name: 'bot-bottle:coder' }],
      assignees: [user],
    },
    repository: { id: 7, name: 'demo', full_name: 'alice/demo', owner: user },
    sender: user,
    rest: Array.from({ length: 40 }, (_value, at) => ({
      id: at,
      url: `https://forge.example/${'x'.repeat(120)}`,
      on: true,
    })),
  }).padEnd(BODY_BYTES, ' ');
  const digest = createHmac('sha256', SECRET).update(body).digest('hex');
  return Buffer.from(
    `POST /webhooks/gitea HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Gitea-Event-Type: issue_label\r\n` +
      `X-Gitea-Signature: ${digest}\r\nX-Hub-Signature-256: sha256=${digest}\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

function doorApp(inboxFile: string): RequestListener {
  const inbox = openInbox(inboxFile);
  return createWebhookApp({
    secret: SECRET,
    inbox,
    metrics: createMetrics(inbox, Date.now),
    maxBodyBytes: 1024 * 1024,
    serves: () => true,
    worksIn: () => Promise.resolve(false),
    onAccepted: () => undefined,
    now: Date.now,
    onError: (message, error) => {
      console.error(message, error);
    },
    temporalReachable: () => false,
  });
}

function expressApp(): RequestListener {
  const app = express();
  app.post('/webhooks/gitea', express.raw({ type: () => true, limit: '1mb' }), (incoming, response) => {
    const claimed = Buffer.from(incoming.get('x-gitea-signature') ?? '', 'hex');
    const body: unknown = incoming.body;
    const expected = createHmac('sha256', SECRET)
      .update(Buffer.isBuffer(body) ? body : '')
      .digest();
    const good = claimed.length === expected.length && timingSafeEqual(claimed, expected);
    response.status(good ? 202 : 401).json({ status: good ? 'accepted' : 'unauthorized' });
  });
  return app;
}

const [, script, mode, server, inboxFile = ''] = process.argv;
if (script === fileURLToPath(import.meta.url) && mode === '--serve') {
  const http = createServer(server === 'door' ? doorApp(inboxFile) : expressApp());
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${String((http.address() as AddressInfo).port)}\n`);
  });
}
