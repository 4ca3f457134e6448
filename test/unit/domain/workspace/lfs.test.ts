import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  MAX_LFS_BYTES,
  MAX_LFS_OBJECT_BYTES,
  MAX_LFS_OBJECTS,
  chooseLfsObjects,
  parseLfsPointer,
  readLfsAnswer,
} from '../../../../src/domain/workspace/lfs.js';

const OID = 'a'.repeat(64);
const VERSION = 'version https://git-lfs.github.com/spec/v1\n';
const ORIGINS = { forge: 'https://git.example', others: ['https://store.example'] };

describe('an LFS pointer', () => {
  it('is version, id and size, and nothing else', () => {
    assert.deepEqual(parseLfsPointer(`${VERSION}oid sha256:${OID}\nsize 12\n`), { oid: OID, size: 12 });
    for (const text of [
      `${VERSION}oid sha256:${OID}\nsize 12`,
      `${VERSION}oid sha256:${OID}\nsize -1\n`,
      `${VERSION}oid sha256:${OID}\nsize 1e3\n`,
      `${VERSION}oid sha256:${OID}\nsize 9999999999999999\n`,
      `${VERSION}oid sha256:${OID.toUpperCase()}\nsize 1\n`,
      `${VERSION}oid sha256:../../../etc/passwd\nsize 1\n`,
      `${VERSION}oid sha1:${'a'.repeat(40)}\nsize 1\n`,
      `${VERSION}ext-0-foo sha256:${OID}\noid sha256:${OID}\nsize 1\n`,
      ` ${VERSION}oid sha256:${OID}\nsize 1\n`,
      '',
    ])
      assert.equal(parseLfsPointer(text), undefined, text);
  });
});

describe('the objects of a workspace', () => {
  const file = (n: number, size: number) => ({
    path: `f${String(n)}`,
    oid: n.toString(16).padStart(64, '0'),
    size,
  });

  it('are each wanted once, up to the limits', () => {
    const { wanted, leftOut } = chooseLfsObjects([file(1, 5), file(1, 5), { ...file(1, 6), path: 'liar' }]);
    assert.deepEqual(wanted, [{ oid: file(1, 5).oid, size: 5 }]);
    assert.deepEqual(leftOut, [{ path: 'liar', reason: 'another pointer gives its object another size' }]);
    const large = chooseLfsObjects([file(1, MAX_LFS_OBJECT_BYTES + 1), file(2, MAX_LFS_OBJECT_BYTES)]);
    assert.deepEqual(
      large.wanted.map(({ oid }) => oid),
      [file(2, 0).oid],
    );
    const many = chooseLfsObjects(Array.from({ length: MAX_LFS_OBJECTS + 3 }, (_, n) => file(n, 1)));
    assert.deepEqual([many.wanted.length, many.leftOut.length], [MAX_LFS_OBJECTS, 3]);
  });

  it('never have more bytes than allowed', () => {
    const files = fc.array(fc.tuple(fc.nat(50), fc.nat(MAX_LFS_OBJECT_BYTES + 1000)), {
      maxLength: 40,
      size: 'max',
    });
    fc.assert(
      fc.property(files, (given) => {
        const { wanted } = chooseLfsObjects(given.map(([n, size]) => file(n, size)));
        return wanted.reduce((sum, { size }) => sum + size, 0) <= MAX_LFS_BYTES;
      }),
    );
  });
});

describe('the answer of the batch API', () => {
  const asked = [{ oid: OID, size: 3 }];
  const answer = (download: unknown, more: object = {}) => ({
    objects: [{ oid: OID, size: 3, actions: { download }, ...more }],
  });
  const read = (given: unknown) => {
    const found = readLfsAnswer(given, asked, ORIGINS).get(OID);
    assert.ok(found);
    return 'reason' in found ? found.reason : found;
  };

  it('leads to the forge, or where the operator said, and our token only to the forge', () => {
    const here = read({
      transfer: 'basic',
      ...answer({ href: 'https://git.example/x', header: { 'X-A': 'b' } }),
    });
    assert.ok(typeof here !== 'string');
    assert.deepEqual(
      [here.url.href, here.headers, here.ours],
      ['https://git.example/x', { 'X-A': 'b' }, true],
    );
    const there = read(answer({ href: 'https://store.example/x?sig=1' }));
    assert.ok(typeof there !== 'string');
    assert.deepEqual([there.url.search, there.headers, there.ours], ['?sig=1', {}, false]);
  });

  const REFUSED: readonly (readonly [name: string, given: unknown, reason: RegExp])[] = [
    ['another host', answer({ href: 'https://evil.example/x' }), /FORGE_LFS_ORIGINS/],
    ['another port', answer({ href: 'https://git.example:8443/x' }), /FORGE_LFS_ORIGINS/],
    ['another scheme', answer({ href: 'http://git.example/x' }), /FORGE_LFS_ORIGINS/],
    ['a file', answer({ href: 'file:///etc/passwd' }), /FORGE_LFS_ORIGINS/],
    ['data', answer({ href: 'data:text/plain,x' }), /FORGE_LFS_ORIGINS/],
    ['the metadata service', answer({ href: 'http://169.254.169.254/latest' }), /FORGE_LFS_ORIGINS/],
    [
      'a host that looks like it',
      answer({ href: 'https://git.example.evil.example/x' }),
      /FORGE_LFS_ORIGINS/,
    ],
    ['a user', answer({ href: 'https://git.example@evil.example/x' }), /user or a password/],
    ['a path only', answer({ href: '/x' }), /does not say where/],
    ['a number', answer({ href: 7 }), /does not say where/],
    ['no action', answer(undefined), /does not say where/],
    ['an error', answer({ href: 'https://git.example/x' }, { error: { code: 404 } }), /does not have it/],
    ['another size', answer({ href: 'https://git.example/x' }, { size: 4 }), /another size/],
    ['another transfer', { transfer: 'ssh', ...answer({ href: 'https://git.example/x' }) }, /transfer/],
    ['other objects only', { objects: [{ oid: 'b'.repeat(64), size: 3 }] }, /did not answer/],
    ['no list', { objects: {} }, /did not answer/],
    ['nothing', undefined, /did not answer/],
  ];
  for (const [name, given, reason] of REFUSED) {
    it(`does not lead to ${name}`, () => {
      const found = read(given);
      assert.ok(typeof found === 'string');
      assert.match(found, reason);
    });
  }

  it('sets no header that frames a message, and none that ends a line', () => {
    const header = {
      Host: 'x',
      'Content-Length': '1',
      'transfer-encoding': 'chunked',
      Connection: 'close',
      'Proxy-Authorization': 'x',
      'X-Bad': 'a\r\nb: c',
      'X Bad': 'x',
      'X-Number': 1,
      Authorization: 'Basic x',
    };
    const found = read(answer({ href: 'https://git.example/x', header }));
    assert.ok(typeof found !== 'string');
    assert.deepEqual(found.headers, { Authorization: 'Basic x' });
  });

  it('is read without fault, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (objects, download) => {
        const given = { objects: [objects, { oid: OID, size: 3, actions: { download } }], transfer: 'basic' };
        return [given, objects].every((one) => readLfsAnswer(one, asked, ORIGINS).size === 1);
      }),
    );
  });
});
