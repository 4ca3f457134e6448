import { readClientHello } from './client-hello.js';
import type { ByteSource } from './byte-source.js';
import {
  ALERT,
  APPLICATION_DATA,
  CHANGE_CIPHER_SPEC,
  HANDSHAKE,
  nextRecord,
  type NextRecord,
  type TlsRecord,
} from './records.js';

export type Passage =
  /**
   * Both have said who they are; what follows is for them alone. The answer has not been passed on: in one piece with what
   * follows, it need not wait for the client's system to confirm the first of two (Nagle's algorithm).
   */
  | { readonly kind: 'open'; readonly answer: Buffer }
  /** One of them left, or the server is silent. */
  | { readonly kind: 'gone'; readonly how: 'client gone' | 'server gone' }
  /** @property name the foreign host that was asked for, when it was that */
  | { readonly kind: 'refused'; readonly why: string; readonly name?: string };

export interface HelloSides {
  readonly client: ByteSource;
  readonly server: ByteSource;
  /** @returns whether they may go */
  readonly toServer: (bytes: Buffer) => boolean;
  readonly toClient: (bytes: Buffer) => void;
}

export interface HelloRules {
  /** Lower case. */
  readonly host: string;
  /** Asked when a hello has an encrypted part. */
  readonly allowsEncryptedHello: () => boolean;
  /** For each hello to come, ms. */
  readonly helloMs: number;
}

const SERVER_HELLO = 2;
/** Type, length and version before it. */
const RANDOM_AT = 6;
/** RFC 8446 §4.1.3: the `random` by which a ServerHello asks for another ClientHello, SHA-256 of "HelloRetryRequest". */
const ASKS_AGAIN = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');
/** Of what may come beside a hello: warnings, early data that the server throws away. */
const MAX_OTHER_RECORDS = 64;
const MAX_NAME_CHARACTERS = 120;

/**
 * Passes on the first messages of TLS, as long as the client asks for this host: its hello, the server's answer, and when
 * that is a HelloRetryRequest the client's second hello, which is in clear, too (RFC 8446 §4.1.2, §4.1.4). A client's
 * hello goes to the server when it is found good, and nothing of the client's goes before the server has answered it.
 */
export async function passHellos(sides: HelloSides, rules: HelloRules): Promise<Passage> {
  for (const isFirst of [true, false]) {
    const stopped = await passClientHello(sides, rules, isFirst);
    if (stopped !== undefined) return stopped;
    const answered = await readAnswer(sides, rules);
    if (answered.kind !== 'asks again') return answered;
    sides.toClient(answered.answer);
  }
  return { kind: 'refused', why: 'the server asks for a third TLS hello' };
}

async function passClientHello(
  { client, toServer }: HelloSides,
  rules: HelloRules,
  isFirst: boolean,
): Promise<Passage | undefined> {
  client.limit(rules.helloMs);
  for (let count = 0; count < MAX_OTHER_RECORDS; count += 1) {
    const record = await nextRecord(client);
    if (record.kind !== 'record') return noHello(record, client.isLate);
    if (record.type !== HANDSHAKE && (isFirst || !mayComeBetween(record)))
      return { kind: 'refused', why: 'what the client sends is no TLS hello' };
    if (record.type === HANDSHAKE) {
      const refused = whyRefused(record.payload, rules);
      if (refused !== undefined) return refused;
    }
    if (!toServer(record.bytes)) return { kind: 'gone', how: 'client gone' };
    if (record.type === HANDSHAKE) return undefined;
  }
  return { kind: 'refused', why: 'too much comes before the second TLS hello' };
}

/** Between two hellos: what says nothing to this server, or that the client gives up. */
function mayComeBetween({ type, payload }: TlsRecord): boolean {
  if (type === CHANGE_CIPHER_SPEC) return payload.length === 1 && payload[0] === 1;
  return type === APPLICATION_DATA || (type === ALERT && payload.length === 2);
}

function noHello(record: Exclude<NextRecord, TlsRecord>, isLate: boolean): Passage {
  if (record.kind === 'no tls') return { kind: 'refused', why: 'what the client sends is no TLS' };
  if (isLate) return { kind: 'refused', why: 'the TLS hello did not come in time' };
  return record.isPart
    ? { kind: 'refused', why: 'the TLS hello is not whole' }
    : { kind: 'gone', how: 'client gone' };
}

function whyRefused(payload: Buffer, { host, allowsEncryptedHello }: HelloRules): Passage | undefined {
  const hello = readClientHello(payload);
  if (hello.kind === 'bad') return { kind: 'refused', why: `the TLS hello ${hello.why}` };
  const { name } = hello;
  if (name === undefined) return { kind: 'refused', why: 'the TLS hello names no host' };
  // DNS names are compared without case; nothing but ASCII can become the host's name by this.
  if (name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) !== host) {
    const shown = name.slice(0, MAX_NAME_CHARACTERS);
    return { kind: 'refused', why: `the TLS hello is for ${JSON.stringify(shown)}`, name };
  }
  if (hello.hasEncryptedHello && !allowsEncryptedHello())
    return {
      kind: 'refused',
      why: 'the TLS hello has an encrypted part (ECH), which the allowlist does not let through',
    };
  return undefined;
}

async function readAnswer(
  { server }: HelloSides,
  { helloMs }: HelloRules,
): Promise<Passage | { readonly kind: 'asks again'; readonly answer: Buffer }> {
  server.limit(helloMs);
  const read: Buffer[] = [];
  while (read.length < MAX_OTHER_RECORDS) {
    const record = await nextRecord(server);
    if (record.kind === 'none')
      // That the server says no more is passed on, as what it said before.
      return record.isPart || server.isLate
        ? { kind: 'gone', how: 'server gone' }
        : { kind: 'open', answer: Buffer.concat(read) };
    const isNeither = record.kind === 'no tls' || record.type === APPLICATION_DATA;
    if (isNeither || (record.type === HANDSHAKE && !isHello(record)))
      return { kind: 'refused', why: 'what the server answers is no TLS hello' };
    read.push(record.bytes);
    if (record.type === HANDSHAKE)
      return { kind: asksAgain(record) ? 'asks again' : 'open', answer: Buffer.concat(read) };
  }
  return { kind: 'refused', why: 'too much comes before the TLS hello of the server' };
}

/** A server may split its hello, too; none does so before its `random` is over. */
function isHello({ payload }: TlsRecord): boolean {
  return payload[0] === SERVER_HELLO && payload.length >= RANDOM_AT + ASKS_AGAIN.length;
}

function asksAgain({ payload }: TlsRecord): boolean {
  return payload.subarray(RANDOM_AT, RANDOM_AT + ASKS_AGAIN.length).equals(ASKS_AGAIN);
}
