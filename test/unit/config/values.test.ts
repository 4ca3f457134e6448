import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  durationBetween,
  filePath,
  hostPort,
  httpUrl,
  listOf,
  matching,
  modelAddress,
  modelPrice,
  oneOf,
  orOff,
  parseSize,
} from '../../../src/config/values.js';
import { formatDuration, parseDuration } from '../../../src/domain/base/duration.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';

const context = { home: '/home/op/.bot-bottle' };
const YEAR = 366 * 86_400_000;

describe('durations', () => {
  it('what is formatted is parsed back to the same milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: YEAR }), (ms) => parseDuration(formatDuration(ms)) === ms),
    );
  });

  it('a number of units is that many times one unit', () => {
    const units = fc.constantFrom('ms', 's', 'm', 'h', 'd');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), units, (count, unit) => {
        assert.equal(parseDuration(`${String(count)}${unit}`), count * parseDuration(`1${unit}`));
      }),
    );
  });

  it('may be switched off where that is allowed', () => {
    const interval = orOff(durationBetween(1_000, 60_000));
    assert.deepEqual(
      ['off', '0', '2s'].map((text) => interval.parse(text, context)),
      [null, null, 2_000],
    );
    assert.throws(() => interval.parse('0s', context), InvalidInputError);
    assert.throws(() => interval.parse('no', context), InvalidInputError);
  });

  it('anything that is not digits and a unit is refused, never read as something else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (/^\d{1,11}(ms|s|m|h|d)$/.test(text)) return;
        assert.throws(() => parseDuration(text), InvalidInputError);
      }),
    );
    for (const text of ['1e3ms', '٣m']) assert.throws(() => parseDuration(text), InvalidInputError, text);
  });
});

describe('sizes', () => {
  it('count in powers of 1024', () => {
    assert.deepEqual(
      ['7', '7B', '64KiB', '1MiB', '2GiB'].map(parseSize),
      [7, 7, 65_536, 1_048_576, 2_147_483_648],
    );
  });

  it('decimal units, fractions and sizes beyond exact counting are refused', () => {
    for (const text of ['1MB', '1.5MiB', '-1', '', '999999999999GiB']) {
      assert.throws(() => parseSize(text), InvalidInputError, text);
    }
  });
});

describe('paths', () => {
  it('are relative to the home unless absolute', () => {
    assert.equal(filePath.parse('secrets/x', context), '/home/op/.bot-bottle/secrets/x');
    assert.equal(filePath.parse('/run/x', context), '/run/x');
  });

  it('a value without a slash is refused, because it may be the secret itself', () => {
    assert.throws(() => filePath.parse('0123456789abcdef', context), InvalidInputError);
  });
});

describe('addresses', () => {
  it('lose the slash at their end', () => {
    assert.equal(httpUrl.parse('https://git.example/api/v1/', context), 'https://git.example/api/v1');
  });

  it('with credentials, a query or another scheme are refused', () => {
    for (const text of [
      'https://u:p@git.example',
      'https://git.example?x',
      'file:///etc',
      'git.example',
      'javascript:1',
    ]) {
      assert.throws(() => httpUrl.parse(text, context), InvalidInputError, text);
    }
  });

  it('host and port, also of IPv6', () => {
    assert.deepEqual(hostPort.parse('[::1]:8080', context), { host: '::1', port: 8080 });
    assert.deepEqual(hostPort.parse('localhost:0', context), { host: 'localhost', port: 0 });
    for (const text of ['8080', ':8080', 'a:65536', 'a b:1', '::1:80']) {
      assert.throws(() => hostPort.parse(text, context), InvalidInputError, text);
    }
  });
});

describe('lists', () => {
  it('are trimmed, without duplicates, and every item is checked', () => {
    const letters = listOf(matching('word', /^[a-z]+$/, 'letters'));
    assert.deepEqual(letters.parse('a, b,a', context), ['a', 'b']);
    assert.throws(() => letters.parse('a,,b', context), InvalidInputError);
  });
});

describe('a kind of value', () => {
  it('is called by what it is made of', () => {
    const words = listOf(matching('word', /^[a-z]+$/, 'letters'));
    assert.deepEqual(
      [words.type, orOff(words).type, oneOf('a', 'b').type, oneOf('a', 'b', 'c').type],
      ['list of words', 'list of words or `off`', '`a` or `b`', '`a`, `b` or `c`'],
    );
  });
});

describe('the address of a model', () => {
  it('is without TLS only near by, where nobody else is on the way', () => {
    for (const [text, address] of [
      ['https://gateway.example/base/', 'https://gateway.example/base'],
      ['http://10.1.2.3:8080', 'http://10.1.2.3:8080'],
    ] as const)
      assert.equal(modelAddress.parse(text, context), address);
    for (const text of ['http://gateway.example', 'https://a.example.', 'https://u:p@a.example', 'ftp://a'])
      assert.throws(() => modelAddress.parse(text, context), InvalidInputError, text);
  });
});

describe('a price of a model', () => {
  it('is kept as it was written, when it can be read', () => {
    for (const text of ['m=1:2', 'claude-*=5:25:0.5:6.25'])
      assert.equal(modelPrice.parse(text, context), text);
    assert.throws(() => modelPrice.parse('m=1', context), InvalidInputError);
  });
});
