import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';

const run = promisify(execFile);

export interface PrivateCa {
  /** PEM file of the authority, for `FORGE_CA_FILE`. */
  readonly caFile: string;
  /** Of a server with these names; without any on 127.0.0.1 or localhost. */
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** An authority of one's own, and a certificate that it signed; files in `dir`. */
export async function privateCa(
  dir: string,
  names: readonly string[] = ['IP:127.0.0.1', 'DNS:localhost'],
): Promise<PrivateCa> {
  const at = (name: string): string => join(dir, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await run('openssl', [
    ...['req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=A private authority'],
    ...['-keyout', at('ca-key.pem'), '-out', at('ca.pem')],
  ]);
  await run('openssl', [
    ...['req', ...newKey, '-subj', '/CN=forge', '-keyout', at('key.pem'), '-out', at('request.pem')],
  ]);
  await writeFile(at('names.txt'), `subjectAltName=${names.join(',')}\n`);
  await run('openssl', [
    ...['x509', '-req', '-in', at('request.pem'), '-days', '2', '-extfile', at('names.txt')],
    ...['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-CAcreateserial', '-out', at('cert.pem')],
  ]);
  return {
    caFile: at('ca.pem'),
    key: await readFile(at('key.pem')),
    cert: await readFile(at('cert.pem')),
  };
}

/** A reverse proxy with TLS that takes a path prefix away, as one in front of a forge does. */
export class TlsFront {
  readonly requests: string[] = [];
  /** Port on 127.0.0.1 that requests go on to. */
  target = 0;
  readonly #server: https.Server;

  private constructor(
    ca: PrivateCa,
    readonly prefix: string,
  ) {
    this.#server = https.createServer({ key: ca.key, cert: ca.cert }, (incoming, outgoing) => {
      this.#passOn(incoming, outgoing);
    });
  }

  /** @param prefix such as `/git`, or empty */
  static async start(ca: PrivateCa, prefix: string): Promise<TlsFront> {
    const front = new TlsFront(ca, prefix);
    await listenLocally(front.#server);
    return front;
  }

  /** `https://127.0.0.1:<port>/git` */
  get url(): string {
    return `${urlOf(this.#server)}${this.prefix}`;
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  #passOn(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const { method, url = '', headers } = incoming;
    this.requests.push(`${method ?? ''} ${url}`);
    if (!url.startsWith(`${this.prefix}/`)) {
      outgoing.writeHead(404).end('nothing here');
      return;
    }
    const path = url.slice(this.prefix.length);
    const onward = http.request({ host: '127.0.0.1', port: this.target, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }
}
