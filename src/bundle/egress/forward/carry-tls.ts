import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { denyTls } from './forward-answers.js';
import type { ForwardExchange } from './forward-exchange.js';
import type { Transfer } from '../ledger.js';
import { ByteSource } from '../tls/byte-source.js';
import { passHellos, type HelloRules } from '../tls/hellos.js';
import type { UploadBudget } from './upload-budget.js';

interface Tunnel {
  readonly client: Duplex;
  /** What came with the CONNECT. */
  readonly head: Buffer;
  readonly upstream: Socket;
  readonly transfer: Transfer;
  readonly budget: UploadBudget;
  readonly exchange: ForwardExchange;
  /** Ends both sides. */
  readonly cut: () => void;
  /** To be called when the upstream has closed. */
  readonly over: () => void;
}

/** A tunnel's life: the hellos, which must be those of TLS to this host, then bytes both ways until both have ended. */
export async function carryTls(tunnel: Tunnel, rules: HelloRules): Promise<void> {
  const { client, upstream, transfer, budget, exchange, cut, over } = tunnel;
  let isOverBudget = false;
  const counted = (bytes: number): boolean => {
    transfer.sent(bytes);
    isOverBudget ||= !budget.take(bytes);
    if (isOverBudget) cut();
    return !isOverBudget;
  };
  const toServer = (bytes: Buffer): boolean => {
    if (bytes.length > 0 && counted(bytes.length)) upstream.write(bytes);
    return !isOverBudget;
  };
  const toClient = (bytes: Buffer): void => {
    transfer.received(bytes.length);
    if (bytes.length > 0) client.write(bytes);
  };
  if (isTimed(client)) client.setTimeout(0);
  // One that is cut takes the other along; one that ends leaves it time to say the rest.
  client.once('close', () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  const [fromClient, fromServer] = [new ByteSource(client, tunnel.head), new ByteSource(upstream)];
  const passage = await passHellos({ client: fromClient, server: fromServer, toServer, toClient }, rules);
  const [restOfClient, restOfServer] = [fromClient.release(), fromServer.release()];
  if (passage.kind === 'refused') {
    exchange.refusedHello(passage.why, passage.name);
    denyTls(client);
    upstream.destroy();
    over();
    return;
  }
  const ended = (): void => {
    if (upstream.readableEnded) client.end();
    else client.destroy();
    over();
    exchange.ended(isOverBudget ? 'upload limit' : passage.kind === 'gone' ? passage.how : 'done');
  };
  if (passage.kind === 'gone') cut();
  else toClient(Buffer.concat([passage.answer, restOfServer]));
  if (upstream.closed) {
    ended();
    return;
  }
  upstream.once('close', ended);
  if (passage.kind === 'gone') return;
  toServer(restOfClient);
  client.on('data', (chunk: Buffer) => counted(chunk.length));
  upstream.on('data', (chunk: Buffer) => {
    transfer.received(chunk.length);
  });
  client.pipe(upstream);
  upstream.pipe(client);
}

function isTimed(client: Duplex): client is Socket {
  return 'setTimeout' in client;
}
