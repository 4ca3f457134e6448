import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  aesCodec,
  parseCodecKey,
  workerCodec,
  type CodecKey,
} from '../../../../src/adapters/temporal/codec/aes-codec.js';
import { InvalidInputError, UnusableSecretError } from '../../../../src/domain/base/errors.js';

const CANARY = 'canary-in-a-payload';

describe('the payload codec', () => {
  const key = (id: string): CodecKey => ({ id, bytes: randomBytes(32) });
  const plain = (): Payload => defaultPayloadConverter.toPayload({ env: CANARY });
  const valueOf = (payload: Payload | undefined): unknown =>
    payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload);
  const only = async (work: Promise<Payload[]>): Promise<Payload> => {
    const [payload, ...others] = await work;
    assert.ok(payload !== undefined && others.length === 0);
    return payload;
  };
  const dataOf = ({ data }: Payload): Buffer => Buffer.from(data ?? []);

  it('gives back what it encrypted, metadata included, and never the same text twice', async () => {
    const codec = aesCodec([key('a')]);
    const [one, two] = [await only(codec.encode([plain()])), await only(codec.encode([plain()]))];
    for (const coded of [one, two]) {
      assert.equal(dataOf(coded).includes(CANARY), false);
      const back = await only(codec.decode([coded]));
      assert.deepEqual(valueOf(back), { env: CANARY });
      assert.deepEqual(Buffer.from(back.metadata?.['encoding'] ?? []).toString(), 'json/plain');
    }
    assert.notDeepEqual(dataOf(one), dataOf(two));
    assert.deepEqual(await codec.encode([]), []);
  });

  it('reads what was written before there was a key, or with another one that it still has', async () => {
    const [old, current] = [key('old'), key('current')];
    const written = await only(aesCodec([old]).encode([plain()]));
    const rotated = aesCodec([current, old]);
    assert.deepEqual(valueOf(await only(rotated.decode([written]))), { env: CANARY });
    assert.deepEqual(valueOf(await only(rotated.decode([plain()]))), { env: CANARY });
    // The first key is the one that encrypts.
    const fresh = await only(rotated.encode([plain()]));
    assert.deepEqual(valueOf(await only(aesCodec([current]).decode([fresh]))), { env: CANARY });
  });

  it('encrypts nothing without a key', async () => {
    assert.deepEqual(await aesCodec([]).encode([plain()]), [plain()]);
  });

  it('names the key that it does not have, and the setting', async () => {
    const written = await aesCodec([key('2025')]).encode([plain()]);
    for (const codec of [aesCodec([key('2026')]), aesCodec([])])
      await assert.rejects(
        codec.decode(written),
        (error) =>
          error instanceof UnusableSecretError &&
          error.message.includes('the key 2025, which TEMPORAL_CODEC_KEYS does not name') &&
          error.message.includes('the secret temporal-codec-2025'),
      );
    const [hostile] = written;
    assert.ok(hostile?.metadata);
    hostile.metadata['encryption-key-id'] = Buffer.from('x\u001b[2J');
    await assert.rejects(aesCodec([]).decode([hostile]), /the key <no id of ours>/);
  });

  it('refuses what was changed, cut off, or encrypted with another key of the same id', async () => {
    const own = key('a');
    const codec = aesCodec([own]);
    const coded = await only(codec.encode([plain()]));
    const data = dataOf(coded);
    const changed = Array.from({ length: data.length }, (_, index) => {
      const copy = Buffer.from(data);
      copy.writeUInt8(copy.readUInt8(index) ^ 1, index);
      return copy;
    });
    const wrong = [...changed, data.subarray(0, -1), data.subarray(0, 27), Buffer.alloc(0)];
    for (const one of wrong)
      await assert.rejects(
        codec.decode([{ ...coded, data: one }]),
        (error) => error instanceof InvalidInputError && error.message.includes('temporal-codec-a'),
      );
    await assert.rejects(aesCodec([key('a')]).decode([coded]), /is another key by now/);
  });

  it('of a worker hands on what its key did not encrypt as what no converter reads, and still fails without the key', async () => {
    const own = key('a');
    const codec = workerCodec([own]);
    const [good, bad] = [
      await only(codec.encode([plain()])),
      await only(aesCodec([key('a')]).encode([plain()])),
    ];
    const [first, second] = await codec.decode([good, bad]);
    assert.deepEqual(valueOf(first), { env: CANARY });
    assert.throws(() => valueOf(second), /data in Temporal is not what the key a encrypted/);
    await assert.rejects(
      codec.decode(await aesCodec([key('b')]).encode([plain()])),
      (error) => error instanceof UnusableSecretError,
    );
    const [hostile] = await aesCodec([key('No Id')]).encode([plain()]);
    assert.ok(hostile !== undefined);
    const [read] = await codec.decode([hostile]);
    assert.throws(() => valueOf(read), /the key <no id of ours>: nobody can add that/);
  });

  it('takes a key of 32 bytes in Base64 or hex and no other', () => {
    const bytes = randomBytes(32);
    for (const text of [bytes.toString('base64'), bytes.toString('hex'), bytes.toString('hex').toUpperCase()])
      assert.deepEqual(parseCodecKey('a', text), { id: 'a', bytes });
    for (const text of ['a password', randomBytes(16).toString('hex'), randomBytes(33).toString('base64')])
      assert.throws(
        () => parseCodecKey('a', text),
        (error) =>
          error instanceof UnusableSecretError &&
          !error.message.includes(text) &&
          error.message.includes('openssl rand -base64 32 | bot-bottle secret set temporal-codec-a'),
      );
  });
});
