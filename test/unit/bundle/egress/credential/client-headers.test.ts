import assert from 'node:assert/strict';
import { headersForUpstream } from '../../../../../src/bundle/egress/credential/client-headers.js';
import type { Route } from '../../../../../src/domain/egress/route.js';

const route = (name: string, header: string | null): Route => ({
  name,
  upstream: 'https://api.example',
  methods: ['POST'],
  paths: ['/'],
  auth: header === null ? null : { header, prefix: '', secret: 'key' },
  baseUrlEnv: null,
  keyEnv: null,
  rewrite: false,
  model: null,
});
const OWN = route('own', 'x-own-key');
const ROUTES = [OWN, route('other', 'x-other-key'), route('open', null)];

const sent = (...headers: readonly (readonly [string, string])[]): string[] =>
  headersForUpstream(headers.flat(), OWN, ROUTES).map(([name]) => name);

describe("what of a client's headers goes on through a route", () => {
  it('leaves out the header of every route’s secret, each copy of it, however it is written', () => {
    const copies = [
      ['X-Own-Key', 'a'],
      ['x-own-key', 'b'],
      ['X-OTHER-KEY', 'c'],
      ['x-other-key', 'd'],
    ] as const;
    assert.deepEqual(sent(...copies, ['X-Mine', 'e']), ['X-Mine', 'Accept-Encoding']);
  });

  it('leaves out what other services take for a sign-in, what makes it another request, and look-alikes', () => {
    const removed = [
      'Authorization',
      'Cookie',
      'X-Api-Key',
      'OpenAI-Organization',
      'OpenAI-Project',
      'Proxy-Authorization',
      ...['apikey', 'Ocp-Apim-Subscription-Key', 'X-Vault-Token'],
      ...['Sudo', 'Impersonate-User', 'Impersonate-Extra-Scopes', 'X-WebAuth-User'],
      ...['X-HTTP-Method-Override', 'X-Original-Method'],
      ...['X-Original-URL', 'X-Original-Path', 'X-Override-URL', 'X-Envoy-Original-Path'],
      ...['X-HTTP-Host-Override', 'X-Forwarded-For', 'CF-Connecting-IP'],
      'Host',
      'Expect',
      'x_own_key',
    ];
    const headers = removed.map((name) => [name, 'x'] as const);
    assert.deepEqual(sent(...headers, ['Content-Type', 'text/plain']), ['Content-Type', 'Accept-Encoding']);
  });

  it('asks for no part of a body that has a secret taken out or is rewritten, which has other borders then', () => {
    const ranges = ['Range', 'If-Range', 'Request-Range', 'X-MS-Range'];
    const raw = [...ranges, 'Accept'].flatMap((name) => [name, 'bytes=0-1']);
    const names = (of: Route): string[] => headersForUpstream(raw, of, [of]).map(([name]) => name);
    const open = route('open', null);
    assert.deepEqual(names(open), [...ranges, 'Accept', 'Accept-Encoding']);
    for (const whole of [OWN, { ...open, rewrite: true }])
      assert.deepEqual(names(whole), ['Accept', 'Accept-Encoding']);
  });

  it('asks for no encoding', () => {
    const asked = headersForUpstream(['Accept-Encoding', 'gzip'], OWN, ROUTES);
    assert.deepEqual(asked, [['Accept-Encoding', 'identity']]);
  });
});
