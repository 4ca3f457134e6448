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
