import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { planBody } from '../../../../../src/bundle/egress/credential/answer-body.js';
import { UnknownEncodingError } from '../../../../../src/bundle/egress/decoder.js';
import type { Route } from '../../../../../src/domain/egress/route.js';
import { routeTo } from '../../../../support/egress/egress-here.js';

const SECRET = 'hunter2/hunter2';
const PLAIN = routeTo('https://files.example');
const REWRITING = routeTo('https://files.example', { rewrite: true });
const OTHER = routeTo('http://other.example:8080', { name: 'other' });
const MODEL: Route = {
  ...PLAIN,
  model: { api: 'openai-chat', models: ['*'], allow: [], maxOutputTokens: 1 },
};
const HERE = 'http://127.0.0.1:3129';

interface Answer {
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly encoding?: string;
  readonly status?: number;
}

describe('what is done to an answer’s body', () => {
  function plan(
    answer: Answer,
    route: Route,
    secret?: string,
    routes: readonly Route[] = [route, OTHER],
  ): ReturnType<typeof planBody> {
    const { type, encoding, status: statusCode = 200 } = answer;
    const headers = { 'content-type': type, 'content-encoding': encoding };
    return planBody({ headers, statusCode } as unknown as IncomingMessage, route, routes, secret);
  }
  async function passed(
    answer: Answer,
    route: Route,
    secret?: string,
    routes?: readonly Route[],
  ): Promise<string> {
    const { steps } = await plan(answer, route, secret, routes);
    const begin: Readable = Readable.from([Buffer.from(answer.body ?? '')]);
    return text(steps.reduce<Readable>((stream, step) => stream.pipe(step), begin));
  }
  const json = (body: string): Answer => ({ body, type: 'application/json' });

  it('is nothing where there is no secret, nothing to rewrite and nothing to meter', async () => {
    const nothing = { steps: [], isChanged: false, isDecoded: false };
    assert.deepEqual(await plan({ encoding: 'zstd' }, PLAIN), nothing);
    assert.deepEqual(await plan({ type: 'image/png' }, REWRITING), nothing);
  });

  it('takes the secret out, as it is and as JSON and URLs write it, in any type', async () => {
    const body = `${SECRET} hunter2\\/hunter2 hunter2%2Fhunter2 hunter2`;
    const blank = '*'.repeat(15);
    assert.equal(
      await passed({ body, type: 'image/png' }, PLAIN, SECRET),
      `${blank} ${'*'.repeat(16)} ${'*'.repeat(17)} hunter2`,
    );
  });

  it('leads addresses of all routes to these, also with slashes escaped and with the port that goes without saying', async () => {
    const body = [
      ...['https://files.example/a', 'https:\\/\\/files.example\\/a', 'https://files.example:443/a'],
      ...['https://files.example.org/a', 'https://files.example:444/a', 'http://files.example/a'],
      ...['http://other.example:8080/b', 'http://other.example/b'],
    ].join(' ');
    const to = `${HERE}/files`;
    assert.equal(
      await passed(json(body), REWRITING),
      [
        ...[`${to}/a`, `${to.replaceAll('/', '\\/')}\\/a`, `${to}/a`],
        ...['https://files.example.org/a', 'https://files.example:444/a', 'http://files.example/a'],
        ...[`${HERE}/other/b`, 'http://other.example/b'],
      ].join(' '),
    );
    const plain = routeTo('http://files.example', { rewrite: true });
    assert.equal(await passed(json('http://files.example:80/a'), plain), `${to}/a`);
  });

  it('leads addresses of an upstream that several routes have to the route that was asked', async () => {
    const upload = routeTo('https://files.example', { name: 'upload' });
    const routes = [upload, REWRITING];
    const answer = await passed(json('https://files.example/a'), REWRITING, undefined, routes);
    assert.equal(answer, `${HERE}/files/a`);
  });

  const types: [type: string | undefined, isText: boolean][] = [
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/vnd.npm.install-v1+json', true],
    ['application/xml', true],
    ['text/html', true],
    ['application/vnd.pypi.simple.v1+html', true],
    ['TEXT/XML', true],
    ['text/plain', true],
    ['text/event-stream', false],
    ['application/octet-stream', false],
    ['application/jsonx', false],
    ['xapplication/json', false],
    ['application/gzip', false],
    ['image/svg', false],
    [undefined, false],
  ];
  for (const [type, isText] of types)
    it(`rewrites ${isText ? '' : 'nothing in '}${type ?? 'no type'}`, async () => {
      const answer = type === undefined ? {} : { type };
      assert.equal((await plan(answer, REWRITING)).isChanged, isText);
      assert.equal((await plan(answer, PLAIN)).isChanged, false);
    });

  it('rewrites no part of a text', async () => {
    assert.equal((await plan({ type: 'text/html', status: 206 }, REWRITING)).isChanged, false);
  });

  const PACKED: [encoding: string, pack: (bytes: Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['X-Gzip', gzipSync],
    [' deflate ', deflateSync],
    ['br', brotliCompressSync],
  ];
  for (const [encoding, pack] of PACKED)
    it(`reads what came as ${encoding.trim()} all the same`, async () => {
      const body = pack(Buffer.from(`it is ${SECRET}`));
      assert.equal(await passed({ body, encoding }, PLAIN, SECRET), `it is ${'*'.repeat(15)}`);
      assert.equal((await plan({ encoding }, PLAIN, SECRET)).isDecoded, true);
      assert.equal((await plan({ encoding }, MODEL)).isDecoded, true, 'what is metered, too');
    });

  it('takes no encoding, and the one that is none, for what is plain', async () => {
    for (const encoding of ['identity', ' Identity', ''])
      assert.equal((await plan({ encoding }, PLAIN, SECRET)).isDecoded, false, encoding);
    const { steps, isDecoded } = await plan({}, PLAIN, SECRET);
    assert.deepEqual([steps.length, isDecoded], [1, false]);
  });

  it('refuses an answer that it cannot read, and names its encoding', async () => {
    await assert.rejects(plan({ encoding: 'zstd' }, PLAIN, SECRET), (error) => {
      assert.ok(error instanceof UnknownEncodingError);
      assert.equal(error.message, 'it came in the encoding "zstd"');
      return true;
    });
    await assert.rejects(plan({ encoding: 'x'.repeat(99) }, PLAIN, SECRET), {
      ...{ name: 'UnknownEncodingError', message: `it came in the encoding "${'x'.repeat(40)}"` },
    });
  });
});
