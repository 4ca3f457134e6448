import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { InvalidInputError, UnusableSecretError } from '../../../domain/base/errors.js';
import { codecSecret } from '../../../domain/secret/secret-name.js';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** A key by the name that its payloads carry. */
export interface CodecKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
// Names and layout as in Temporal's own samples: nonce, ciphertext, tag.
const ENCODING = 'binary/encrypted';
const ID = /^[a-z0-9][a-z0-9-]{0,40}$/;
const CIPHER = 'aes-256-gcm';
const utf8 = new TextEncoder();

/**
 * Encrypts whole payloads with the first key and decrypts with the one they name. Without a key nothing is encrypted, and
 * what is not encrypted is read as it is: so was everything before there was a key.
 * Errors of `decode`: `UnusableSecretError` for a key it does not have, `InvalidInputError` for what was changed.
 */
export function aesCodec(keys: readonly CodecKey[]): PayloadCodec {
  return codecWith(keys, (payload) => decoded(keys, payload));
}

/**
 * The same for a worker. The SDK decodes everything of a workflow's task before an interceptor sees any of it, and history
 * keeps what somebody sent with other bytes under the name of one of our keys: each task would fail, for ever. So that is
 * handed on as what no converter reads, with the reason as its encoding: a signal becomes a note, an Update is refused, and
 * a result or an argument still fails its task. A key that is not there is waited for.
 */
export function workerCodec(keys: readonly CodecKey[]): PayloadCodec {
  return codecWith(keys, (payload) => {
    try {
      return decoded(keys, payload);
    } catch (error) {
      if (error instanceof UnusableSecretError || !(error instanceof InvalidInputError)) throw error;
      return { metadata: { encoding: utf8.encode(error.message) }, data: new Uint8Array() };
    }
  });
}

function codecWith(keys: readonly CodecKey[], decode: (payload: Payload) => Payload): PayloadCodec {
  const [first] = keys;
  return {
    encode: (payloads) =>
      Promise.resolve(first === undefined ? payloads : payloads.map((one) => encrypt(first, one))),
    // What can't be read rejects, and is never thrown.
    decode: (payloads) => Promise.resolve(payloads).then((all) => all.map(decode)),
  };
}

/** The key that a secret's text is: Base64 or hex. Errors: `UnusableSecretError` with the command that makes one. */
export function parseCodecKey(id: string, text: string): CodecKey {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  if (bytes.length === KEY_BYTES && (isHex || bytes.toString('base64') === text)) return { id, bytes };
  const name = codecSecret(id);
  throw new UnusableSecretError(
    `the secret ${name} is not 32 bytes in Base64 or hex: openssl rand -base64 32 | bot-bottle secret set ${name}`,
  );
}

function encrypt({ id, bytes }: CodecKey, payload: Payload): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce);
  const plain = PayloadMessage.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const metadata = { encoding: utf8.encode(ENCODING), 'encryption-key-id': utf8.encode(id) };
  return { metadata, data };
}

function decoded(keys: readonly CodecKey[], payload: Payload): Payload {
  return textOf(payload.metadata?.['encoding']) === ENCODING ? decrypt(keys, payload) : payload;
}

function decrypt(keys: readonly CodecKey[], { metadata, data }: Payload): Payload {
  const id = textOf(metadata?.['encryption-key-id']);
  const key = keys.find((one) => one.id === id);
  if (key === undefined && !ID.test(id))
    throw new InvalidInputError(`data in Temporal names the key ${shown(id)}: nobody can add that`);
  if (key === undefined)
    throw new UnusableSecretError(
      `Temporal holds data encrypted with the key ${shown(id)}, which TEMPORAL_CODEC_KEYS does not name: add it there, and its key as the secret ${codecSecret(shown(id))}`,
    );
  const box = Buffer.from(data ?? []);
  try {
    if (box.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('too short');
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, key.bytes, box.subarray(0, NONCE_BYTES), options);
    decipher.setAuthTag(box.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return PayloadMessage.decode(plain);
  } catch (cause) {
    throw new InvalidInputError(
      `data in Temporal is not what the key ${shown(id)} encrypted: it was changed, or the secret ${codecSecret(shown(id))} is another key by now`,
      { cause },
    );
  }
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

/** Whoever writes to the server chose it. */
function shown(id: string): string {
  return ID.test(id) ? id : '<no id of ours>';
}
