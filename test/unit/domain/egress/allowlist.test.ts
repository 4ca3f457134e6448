import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  allowsEncryptedHello,
  formatAllowEntry,
  isAllowed,
  parseAllowlist,
  readAllowEntry,
  wildcardOf,
  type AllowEntry,
} from '../../../../src/domain/egress/allowlist.js';
import { whyNoHost } from '../../../../src/domain/egress/host-name.js';

const entry = (text: string): AllowEntry => {
  const read = readAllowEntry(text);
  assert.ok(!('problem' in read), JSON.stringify(read));
  return read;
};
const hosts = fc.domain().filter((host) => whyNoHost(host) === undefined);
const entries = fc.record({
  host: hosts,
  wildcard: fc.boolean(),
  ports: fc
    .uniqueArray(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 16, size: 'max' })
    .map((ports) => ports.sort((a, b) => a - b)),
  encryptedHello: fc.boolean(),
});

describe('a line of the allowlist', () => {
  it('is a host at 443, other ports when they are named', () => {
    const plain = { host: 'example.org', encryptedHello: false };
    assert.deepEqual(entry('example.org'), { ...plain, wildcard: false, ports: [443] });
    assert.deepEqual(entry('*.example.org:8443,80,80'), { ...plain, wildcard: true, ports: [80, 8443] });
  });

  it('lets a hello have an encrypted part when it says so', () => {
    const { entries } = parseAllowlist('a.org ech # for a browser\n*.b.org:8443 ech\nc.org\nc.org:8443 ech');
    const allows = (host: string, port: number): boolean => allowsEncryptedHello(entries, host, port);
    assert.ok(allows('a.org', 443) && allows('x.b.org', 8443) && allows('c.org', 8443));
    assert.ok(!allows('a.org', 8443) && !allows('x.b.org', 443) && !allows('c.org', 443));
  });

  for (const text of [
    '*',
    '*.',
    '**.example.org',
    'a.*.org',
    '*example.org',
    'x*.example.org',
    'example.org:',
    'example.org:0',
    'example.org:65536',
    'example.org:443,',
    'example.org:0443',
    'example.org:443:80',
    'example.org:https',
    'example.org:443.0',
    'https://example.org',
    'example.org/path',
    'example.org 443',
    'example.org  ech',
    'example.org ech ech',
    ' ech',
    '10.0.0.1',
    '*.10.0.0.1',
    'localhost',
    'EXAMPLE.org',
    'a.org\nb.org',
    `a.org:${Array.from({ length: 17 }, (_, at) => String(at + 1)).join(',')}`,
  ])
    it(`is not ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.ok('problem' in readAllowEntry(text));
    });

  it('says what is wrong, of a file with the line in it, cut', () => {
    const { problems } = parseAllowlist(`a.org\nBad${'x'.repeat(500)}.org`);
    const [{ line, problem } = { line: 0, problem: '' }] = problems;
    assert.equal(line, 2);
    assert.ok(problem.length < 200 && problem.startsWith('"Badxxx'), problem);
  });

  it('written and read again is the same', () => {
    fc.assert(
      fc.property(entries, (given) => {
        assert.deepEqual(entry(formatAllowEntry(given)), { ...given });
      }),
    );
  });

  it('has one way to be written', () => {
    assert.equal(formatAllowEntry(entry('a.org:443')), 'a.org');
    assert.equal(formatAllowEntry(entry('a.org:8443,443')), 'a.org:443,8443');
    assert.equal(formatAllowEntry({ ...entry('*.a.org'), ports: [99, 80, 80] }), '*.a.org:80,99');
  });
});

describe('an allowlist file', () => {
  it('has entries, comments and empty lines, and tells of every wrong line', () => {
    const { entries: read, problems } = parseAllowlist(
      '# head\r\na.org # why\n\n   *.b.org:80\nLOCALHOST\nc.org#d\n10.0.0.1\n',
    );
    assert.deepEqual(read.map(formatAllowEntry), ['a.org', '*.b.org:80']);
    assert.deepEqual(
      problems.map(({ line }) => line),
      [5, 6, 7],
    );
  });

  it('that is empty allows nothing', () => {
    assert.equal(isAllowed(parseAllowlist('').entries, 'a.org', 443), false);
  });
});

describe('whether a host is allowed', () => {
  const list = [entry('a.org'), entry('*.b.org:443,8443')];
  const cases: readonly (readonly [string, number, boolean])[] = [
    ['a.org', 443, true],
    ['a.org', 80, false],
    ['x.a.org', 443, false],
    ['b.org', 443, false],
    ['x.b.org', 443, true],
    ['x.y.b.org', 8443, true],
    ['x.b.org', 80, false],
    ['xb.org', 443, false],
    ['x.b.org.evil.org', 443, false],
    ['evil-a.org', 443, false],
  ];
  for (const [host, port, allowed] of cases)
    it(`${host}:${String(port)} is ${allowed ? 'allowed' : 'refused'}`, () => {
      assert.equal(isAllowed(list, host, port), allowed);
    });

  it('by a name of the agent’s choice only where no entry says all of it, on that port', () => {
    const all = [entry('a.b.org'), ...list, entry('*.y.b.org')];
    const by = (host: string, port = 443): string | undefined => wildcardOf(all, host, port);
    assert.deepEqual([by('a.b.org'), by('a.org'), by('c.org')], [undefined, undefined, undefined]);
    assert.deepEqual(
      [by('x.b.org'), by('a.b.org', 8443), by('x.y.b.org')],
      ['*.b.org', '*.b.org', '*.b.org'],
    );
  });

  it('only what equals an entry or lies below a wildcard, at its ports', () => {
    fc.assert(
      fc.property(
        fc.array(entries, { maxLength: 5 }),
        hosts,
        fc.integer({ min: 1, max: 65_535 }),
        (all, host, port) => {
          const expected = all.some(
            (given) =>
              given.ports.includes(port) &&
              (given.wildcard
                ? host !== given.host &&
                  host.split('.').slice(-given.host.split('.').length).join('.') === given.host
                : host === given.host),
          );
          assert.equal(isAllowed(all, host, port), expected);
        },
      ),
    );
  });
});
