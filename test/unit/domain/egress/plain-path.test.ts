import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isListedPath, whyNotPlainPath, whyNotPlainQuery } from '../../../../src/domain/egress/plain-path.js';

describe('a plain path', () => {
  for (const path of [
    '/',
    '/v1/messages',
    '/v1/',
    '/@types%2fnode',
    '/@types/node',
    '/a.b/..c/d..',
    '/...',
    '/a%20b',
    '/golang.org/x/net/@v/v0.1.0.info',
    '/a;v=1/b',
    '/a%3bv=1/b%20',
    '/.well-known/x',
    '/..c%20d/.~lock.x%23',
    '/.%C3%A9/..%E6%96%87',
    '/...%3b/x',
    "/~!$&'()*+,=:",
  ])
    it(`is ${path}`, () => {
      assert.equal(whyNotPlainPath(path), undefined);
    });
  for (const path of [
    '',
    'v1',
    '//',
    '//evil.org/',
    '/a//b',
    '/.',
    '/..',
    '/a/../b',
    '/a/..',
    '/./a',
    '/..;/a',
    '/a/..;x=1/b',
    '/.;/',
    '/v1/..%3b/admin/keys',
    '/v1/..%3B/admin/keys',
    '/v1/..%20/admin',
    '/v1/..%20',
    '/v1/.%20./admin',
    '/v1/%20../admin',
    '/v1/.%3bx=1/admin',
    '/v1/..%c2%a0/admin',
    '/v1/..%e2%80%8b/admin',
    '/v1/.%e2%80%8c./admin',
    '/v1/..%3fx/admin',
    '/v1/..%23x/admin',
    '/v1/..:/admin',
    '/v1/..%2f..%3b/admin',
    '/v1/%ef%bc%8e%ef%bc%8e/admin',
    '/v1/%e2%80%a5/admin',
    '/v1/..%ef%bc%8fadmin',
    '/v1/..%ef%bc%bcadmin',
    '/v1/..%ef%bc%9b/admin',
    '/v1/..%09/admin',
    '/v1/..%00/admin',
    '/v1/..%2e/admin',
    '/v1/..%5cadmin',
    '/%2e%2e/a',
    '/%2E/',
    '/a%2f..%2fb',
    '/a%2f%2e%2e/b',
    '/a%2F%2Fb',
    '/a\\b',
    '/a%5cb',
    '/a%5C..',
    '/%00',
    '/a%0d%0ab',
    '/a%7f',
    '/%252e',
    '/a%25',
    '/a%2',
    '/a%zz',
    '/ä',
    '/a\u0000',
    '/a b',
    '/a#b',
    '/a?b',
    'http://evil.org/',
    '/a"b',
    '/a<b',
    '/a\tb',
  ])
    it(`is not ${JSON.stringify(path)}`, () => {
      assert.notEqual(whyNotPlainPath(path), undefined);
    });

  it('is read by URL parsers as it is written, and decoded has no dot segments', () => {
    const pieces = fc.constantFrom(
      '/',
      '.',
      '..',
      'a',
      '%2f',
      '%2F',
      '%2e',
      '%5c',
      '\\',
      ';',
      'v1',
      '%',
      '%41',
      '//',
      '@',
      '?',
      '#',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 10 }).map((parts) => `/${parts.join('')}`),
        (path) => {
          if (whyNotPlainPath(path) !== undefined) return;
          assert.equal(new URL(`https://host.example${path}`).pathname, path);
          const decoded = decodeURIComponent(path);
          assert.equal(new URL(`https://host.example${decoded}`).pathname.length, encodeURI(decoded).length);
          for (const segment of decoded.split('/')) assert.ok(!/^\.\.?(;|$)/.test(segment), path);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('a plain path below an allowed prefix', () => {
  /** What servers are known to do with a path, one or several of them, in whatever order. */
  const habits: readonly ((path: string) => string)[] = [
    (path) => path.replace(/%[0-9a-f]{2}(?:%[89a-f][0-9a-f])*/gi, (escapes) => decoded(escapes)),
    (path) => path.replace(/;[^/]*/g, ''),
    (path) => path.replace(/[?#].*/s, ''),
    (path) => path.replaceAll('\\', '/'),
    (path) => path.normalize('NFKC'),
    (path) => path.replace(/\0.*/s, ''),
    (path) => path.replace(/[\u200b-\u200f\ufeff]/g, ''),
    (path) =>
      path
        .split('/')
        .map((segment) => segment.trim())
        .join('/'),
  ];
  const decoded = (escapes: string): string => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  };
  const pieces = fc.constantFrom(
    ...['/', '.', '..', 'a', ';', ':', '%3b', '%3B', '%20', '%09', '%00', '%0a', '%2e', '%2E', '%2f', '%2F'],
    ...['%5c', '%3f', '%23', '%c2%a0', '%e2%80%8b', '%e3%80%80', '%ef%bb%bf', '%ef%bc%8e', '%ef%bc%8f'],
    ...['%ef%bc%9b', '%ef%bc%bc', '%e2%80%a4', '%e2%80%a5', '%25', '%c3%a9', '\\'],
  );

  it('is nowhere else, whatever servers decode, cut off or take for another', () => {
    let plain = 0;
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 6 }),
        fc.array(fc.constantFrom(...habits), { maxLength: 6 }),
        (parts, server) => {
          const path = `/v1/${parts.join('')}`;
          if (whyNotPlainPath(path) !== undefined) return;
          plain += 1;
          const read = server.reduce((text, habit) => habit(text), path);
          const segments = read.split('/');
          assert.ok(segments[1] === 'v1' && !segments.includes('..') && !segments.includes('.'), read);
        },
      ),
      { numRuns: 20_000 },
    );
    assert.ok(plain > 500, String(plain));
  });
});

describe('a plain query', () => {
  it('is visible ASCII without a fragment or a backslash', () => {
    for (const query of ['', 'a=b&c=%20', 'q=[x]|{y}"', 'a=/../b?c'])
      assert.equal(whyNotPlainQuery(query), undefined, query);
    for (const query of ['a b', 'a#b', 'a\\b', 'ä', 'a\u0000', 'a\r\nb'])
      assert.notEqual(whyNotPlainQuery(query), undefined, query);
  });
});

describe('a path in a list', () => {
  const list = ['/v1/messages', '/files/', '/@scope/'];
  const cases: readonly (readonly [string, boolean])[] = [
    ['/v1/messages', true],
    ['/v1/messages/', false],
    ['/v1/messages/x', false],
    ['/v1/message', false],
    ['/files/', true],
    ['/files/a/b', true],
    ['/files', false],
    ['/filesystem/a', false],
    ['/files/a%2fb', true],
    // Listed in one reading only.
    ['/v1%2fmessages', false],
    ['/files%2fa', false],
    ['/@scope%2fname', false],
    ['/', false],
  ];
  for (const [path, listed] of cases)
    it(`${path} is ${listed ? '' : 'not '}there`, () => {
      assert.equal(isListedPath(list, path), listed);
    });

  it('is every one of a route that lists /', () => {
    for (const path of ['/', '/a', '/@types%2fnode']) assert.ok(isListedPath(['/'], path));
  });
});
