import assert from 'node:assert/strict';
import { endToEnd, flatHeaders, framingOf, withoutHeaders } from '../../../../src/bundle/egress/headers.js';

describe('the headers of a message that goes on', () => {
  const kept = (...raw: readonly string[]): readonly string[] => flatHeaders(endToEnd(raw));

  it('are all pairs in their order, as they were written, also twice', () => {
    const raw = ['Accept', 'a', 'X-Two', '1', 'x-two', '2'];
    assert.deepEqual(kept(...raw), raw);
    assert.deepEqual(endToEnd(raw)[1], ['X-Two', '1']);
    assert.deepEqual(kept('Accept', 'a', 'alone'), ['Accept', 'a']);
  });

  for (const name of [
    ...['Connection', 'Keep-Alive', 'Proxy-Connection', 'Proxy-Authenticate', 'Proxy-Authorization'],
    ...['Proxy-Authentication-Info', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'HTTP2-Settings'],
  ])
    it(`are without ${name}, which is the connection's`, () => {
      assert.deepEqual(kept(name, 'x', 'Accept', 'a'), ['Accept', 'a']);
    });

  it('are without what the connection names, in any case', () => {
    const raw = [
      'Connection',
      'close, X-Mine',
      'x-mine',
      '1',
      'Connection',
      'other',
      'OTHER',
      '2',
      'Accept',
      'a',
    ];
    assert.deepEqual(kept(...raw), ['Accept', 'a']);
    assert.deepEqual(kept('X-Connection', 'accept', 'Accept', 'a'), [
      'X-Connection',
      'accept',
      'Accept',
      'a',
    ]);
  });

  it('keep the length, whatever the connection says: who drops it changes where the message ends', () => {
    assert.deepEqual(kept('Connection', 'Content-Length', 'Content-Length', '5'), ['Content-Length', '5']);
  });

  it('are without what is taken out, in any case', () => {
    const headers = endToEnd(['Host', 'a', 'HOST', 'b', 'Accept', 'c']);
    assert.deepEqual(withoutHeaders(headers, new Set(['host'])), [['Accept', 'c']]);
  });
});

describe('where a request ends', () => {
  const framed = (hasBody: boolean, headers: unknown = []): object => ({ kind: 'framed', hasBody, headers });

  it('is said by its length', () => {
    assert.deepEqual(framingOf({ 'content-length': '5' }), framed(true));
    assert.deepEqual(framingOf({ 'content-length': '0' }), framed(false));
    assert.deepEqual(framingOf({}), framed(false));
  });

  it('is said by its chunks, and said again for the next connection', () => {
    const chunked = framed(true, [['Transfer-Encoding', 'chunked']]);
    assert.deepEqual(framingOf({ 'transfer-encoding': 'chunked' }), chunked);
    assert.deepEqual(framingOf({ 'transfer-encoding': ' Chunked ' }), chunked);
  });

  it('is not known with any other coding', () => {
    for (const coding of ['gzip, chunked', 'gzip', 'chunked, chunked', ''])
      assert.deepEqual(framingOf({ 'transfer-encoding': coding }), { kind: 'unknown' }, coding);
  });
});
