import assert from 'node:assert/strict';
import { readRouteRequest } from '../../../../../src/bundle/egress/credential/route-request.js';
import { routeTo } from '../../../../support/egress/egress-here.js';

const FILES = routeTo('https://files.example', { methods: ['GET', 'POST'], paths: ['/pub/', '/exact', '/'] });
const NARROW = routeTo('https://narrow.example', { name: 'narrow', paths: ['/only/'] });
const ROUTES = [NARROW, FILES];

describe('a request to the proxy that adds keys', () => {
  const read = (method: string, url: string, hasBody = false): ReturnType<typeof readRouteRequest> =>
    readRouteRequest(method, url, hasBody, ROUTES);

  const allowed: [url: string, path: string, query: string][] = [
    ['/files/pub/a', '/pub/a', ''],
    ['/files/pub/a?b=c', '/pub/a', '?b=c'],
    ['/files/pub/a?b=c?d', '/pub/a', '?b=c?d'],
    ['/files/pub/a?', '/pub/a', '?'],
    ['/files', '/', ''],
    ['/files/', '/', ''],
    ['/files?b', '/', '?b'],
  ];
  for (const [url, path, query] of allowed)
    it(`is let through as ${url}, below the upstream`, () => {
      assert.deepEqual(read('GET', url), { kind: 'allowed', route: FILES, path, query });
    });

  const refused: [what: string, method: string, url: string, status: number, why: RegExp, of: unknown][] = [
    ['a path that is none', 'GET', 'http://x/', 400, /^the path does not begin with a slash$/, undefined],
    ['a path with dots', 'GET', '/files/../x', 400, /^the path has dot segments$/, undefined],
    ['a query that is none', 'GET', '/files/a?b\\c', 400, /^the query has characters/, undefined],
    [
      'a route that is not there',
      'GET',
      '/other/a',
      403,
      /no such route; there are: narrow, files; /,
      undefined,
    ],
    ['no route', 'GET', '/', 403, /^there is no such route/, undefined],
    ['a route with an escape', 'GET', '/%66iles/a', 403, /^there is no such route/, undefined],
    ['an escaped slash behind a route', 'GET', '/files%2fa', 403, /^there is no such route/, undefined],
    [
      'a method that is not listed',
      'PUT',
      '/files/a',
      403,
      /^the method PUT is not in .* list; to ask/,
      FILES,
    ],
    [
      'a path that is not listed',
      'GET',
      '/narrow/a',
      403,
      /^the path is not in this .* list; to ask/,
      NARROW,
    ],
  ];
  for (const [what, method, url, status, why, route] of refused)
    it(`is refused with the reason: ${what}`, () => {
      const answer = read(method, url);
      assert.ok(answer.kind === 'refused');
      assert.deepEqual([answer.status, answer.route], [status, route]);
      assert.match(answer.why, why);
    });

  it('says that there are no routes where there are none', () => {
    const answer = readRouteRequest('GET', '/files', false, []);
    assert.match(answer.kind === 'refused' ? answer.why : '', /there are: none;/);
  });

  it('carries a body up where the method has one, and only there', () => {
    const reading = routeTo('https://r.example', { name: 'r', methods: ['GET', 'HEAD', 'OPTIONS', 'POST'] });
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const answer = readRouteRequest(method, '/r/a', true, [reading]);
      assert.ok(answer.kind === 'refused');
      assert.deepEqual(
        [answer.status, answer.why, answer.route],
        [400, `a ${method} has no body here`, reading],
      );
      assert.equal(readRouteRequest(method, '/r/a', false, [reading]).kind, 'allowed');
    }
    assert.equal(readRouteRequest('POST', '/r/a', true, [reading]).kind, 'allowed');
  });
});
