import assert from 'node:assert/strict';
import {
  headersForClient,
  type AnswerContext,
} from '../../../../../src/bundle/egress/credential/answer-headers.js';
import { flatHeaders } from '../../../../../src/bundle/egress/headers.js';
import { routeTo } from '../../../../support/egress/egress-here.js';

const FILES = routeTo('https://files.example/base');
const OTHER = routeTo('https://other.example', { name: 'other' });
const HERE = 'http://127.0.0.1:3129';

describe('what of an upstream’s headers goes on to the client', () => {
  const context = (changes: Partial<AnswerContext> = {}): AnswerContext => ({
    ...{ route: FILES, routes: [FILES, OTHER], url: 'https://files.example/base/a/b', secret: undefined },
    ...{ isChanged: false, isDecoded: false },
    ...changes,
  });
  const shown = (raw: readonly string[], changes: Partial<AnswerContext> = {}): readonly string[] =>
    flatHeaders(headersForClient(raw, context(changes)));
  const location = (to: string, changes: Partial<AnswerContext> = {}): string | undefined =>
    shown(['Location', to], changes)[1];

  it('is what belongs to the message, in its order', () => {
    const raw = ['Content-Type', 'text/plain', 'Connection', 'close', 'X-Two', '1', 'X-Two', '2'];
    assert.deepEqual(shown(raw), ['Content-Type', 'text/plain', 'X-Two', '1', 'X-Two', '2']);
  });

  for (const name of ['Set-Cookie', 'Set-Cookie2', 'Alt-Svc', 'Clear-Site-Data', 'Refresh'])
    it(`is not ${name}, which is for the upstream’s own client or leads past the proxy`, () => {
      assert.deepEqual(shown([name, 'x', 'ETag', 'e']), ['ETag', 'e']);
    });

  it('is nothing of the body where that is changed on the way', () => {
    const ofBody = ['Content-Length', 'Content-MD5', 'Digest', 'Content-Digest', 'Repr-Digest', 'ETag'];
    const raw = ofBody.flatMap((name) => [name, '5']);
    const encoding = ['Content-Encoding', 'gzip'];
    assert.deepEqual(shown([...raw, ...encoding]), [...raw, ...encoding]);
    assert.deepEqual(shown([...raw, ...encoding], { isChanged: true }), encoding);
    assert.deepEqual(shown([...raw, ...encoding], { isDecoded: true }), []);
  });

  it('offers no parts where none are asked for', () => {
    const raw = ['Accept-Ranges', 'bytes', 'ETag', 'e'];
    const auth = { header: 'x-key', prefix: '', secret: 'key' };
    assert.deepEqual(shown(raw), raw);
    for (const route of [
      { ...FILES, auth },
      { ...FILES, rewrite: true },
    ])
      assert.deepEqual(shown(raw, { route }), ['ETag', 'e']);
  });

  it('has no secret in it', () => {
    const secret = 'hunter2-hunter2';
    assert.deepEqual(shown(['X-Key', `it is ${secret}`], { secret }), ['X-Key', `it is ${'*'.repeat(15)}`]);
  });

  const redirects: [what: string, to: string, shown: string | undefined][] = [
    ['below the upstream', 'https://files.example/base/c?d', `${HERE}/files/c?d`],
    ['to the upstream itself', 'https://files.example/base', `${HERE}/files/`],
    ['to the upstream with a slash', 'https://files.example/base/', `${HERE}/files/`],
    ['relative, below the upstream', 'c', `${HERE}/files/a/c`],
    ['relative, above it', '/elsewhere', undefined],
    ['beside it, under a name that begins alike', 'https://files.example/based/c', undefined],
    ['to another scheme', 'http://files.example/base/c', undefined],
    ['to another port', 'https://files.example:444/base/c', undefined],
    ['with a user', 'https://me@files.example/base/c', undefined],
    ['with a password', 'https://:me@files.example/base/c', undefined],
    ['to another route', 'https://other.example/c', undefined],
    ['to what is no address', 'https://', undefined],
  ];
  for (const [what, to, expected] of redirects)
    it(`leads a redirect ${what} ${expected === undefined ? 'nowhere' : 'through the route'}`, () => {
      for (const name of ['Location', 'Content-Location'])
        assert.deepEqual(shown([name, to]), expected === undefined ? [] : [name, expected]);
    });

  it('leads to other routes where the route rewrites addresses', () => {
    const rewriting = { ...FILES, rewrite: true };
    const changes = { route: rewriting, routes: [rewriting, OTHER] };
    assert.equal(location('https://other.example/c', changes), `${HERE}/other/c`);
    assert.equal(location('https://nowhere.example/c', changes), undefined);
  });
});
