import assert from 'node:assert/strict';
import { formatBytes } from '../../../../src/domain/base/format-bytes.js';
import { isRecord, recordIn } from '../../../../src/domain/base/is-record.js';
import { originOf } from '../../../../src/domain/base/listen-address.js';
import { messageOf } from '../../../../src/domain/base/message-of.js';
import { percentEncoded } from '../../../../src/domain/base/percent-encoded.js';
import { retryAfterMs } from '../../../../src/domain/base/retry-after.js';

describe('a size', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1024 ** 2, '1 MiB'],
    [1024 ** 3 * 1.26, '1.3 GiB'],
    [1024 ** 4, '1 TiB'],
    [1024 ** 5, '1024 TiB'],
  ] as const)
    it(`is shown as ${text}`, () => {
      assert.equal(formatBytes(bytes), text);
    });
});

describe('text in an address', () => {
  it('is whatever UTF-8 makes of it, also of half a character', () => {
    assert.equal(percentEncoded('a b/ü😀'), 'a%20b%2F%C3%BC%F0%9F%98%80');
    for (const half of ['\uD83D', '\uDE00']) assert.equal(percentEncoded(`x${half}y`), 'x%EF%BF%BDy');
  });
});

describe('a value from outside', () => {
  it('is a record when it is an object with keys', () => {
    for (const value of [{}, { a: 1 }]) assert.ok(isRecord(value));
    for (const value of [null, undefined, [], 'a', 1, true, () => 1])
      assert.ok(!isRecord(value), String(value));
  });

  it('is a record in a text that is the JSON of one', () => {
    assert.deepEqual(recordIn(' {"a":[1]}\n'), { a: [1] });
    for (const text of ['', '{', '{"a":1}}', '[{}]', 'null', '1', '"a"'])
      assert.equal(recordIn(text), undefined, text);
  });
});

describe('the wait that a server asks for', () => {
  it('is read from seconds and HTTP dates, and nothing else', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    assert.equal(retryAfterMs('7', now), 7_000);
    assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:09 GMT', now), 9_000);
    assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
    assert.equal(retryAfterMs('soon', now), undefined);
    assert.equal(retryAfterMs(undefined, now), undefined);
  });
});

describe('what was thrown', () => {
  it('has a message, whatever it is', () => {
    assert.equal(messageOf(new TypeError('no')), 'no');
    assert.equal(messageOf('no'), 'no');
    assert.equal(messageOf(undefined), 'undefined');
  });
});

describe('what listens at an address', () => {
  for (const [host, origin] of [
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://[::1]:80'],
    ['fd00::5', 'http://[fd00::5]:80'],
    ['host.example', 'http://host.example:80'],
  ] as const)
    it(`of ${host} is reached from this machine at ${origin}`, () => {
      assert.equal(originOf({ host, port: 80 }), origin);
    });
});
