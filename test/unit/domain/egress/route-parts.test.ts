import assert from 'node:assert/strict';
import { egressVariables } from '../../../../src/domain/egress/agent-env.js';
import {
  isListedModel,
  MOST_OUTPUT_TOKENS,
  whyNoModelMethods,
  whyNoModelPattern,
  whyNoOutputCap,
} from '../../../../src/domain/egress/model-rule.js';
import {
  MAX_ENTRIES,
  MAX_ROUTES,
  repeatedInRoutes,
  whyNoAuthHeader,
  whyNoAuthPrefix,
  whyNoRouteName,
  whyNoUpstream,
  whyNotEncrypted,
  whyNoVariable,
} from '../../../../src/domain/egress/route-checks.js';
import { parseRoutes, readRoutes } from '../../../../src/domain/egress/routes.js';
import { takesUploads } from '../../../../src/domain/egress/upload-hosts.js';
import { upstreamOf } from '../../../../src/domain/egress/upstream.js';

/** What a check takes, and what it does not. */
function takes(
  check: (text: string) => string | undefined,
  good: readonly string[],
  bad: readonly string[],
): void {
  for (const text of good) assert.equal(check(text), undefined, text);
  for (const text of bad) assert.match(check(text) ?? '', /^(?:must|is|has) /, text);
}

describe('the parts of a route', () => {
  it('are a name that is one segment of an address', () => {
    takes(
      whyNoRouteName,
      ['a', '0', 'npm', 'my-model-2', 'a'.repeat(63)],
      ['', '-a', 'a-', 'A', 'a.b', 'a/b', 'a_b', 'a'.repeat(64)],
    );
  });

  it('are a header that carries a key, and nothing of the exchange', () => {
    takes(
      whyNoAuthHeader,
      ['authorization', 'x-api-key', 'content-md5', 'range-key', 'my-host'],
      [
        ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
        ...['te', 'expect', 'proxy-authorization', 'accept-encoding', 'range', '', '-a', 'x:y', 'X-Api-Key'],
      ],
    );
  });

  it('are a prefix of plain text', () => {
    takes(
      whyNoAuthPrefix,
      ['', 'Bearer ', 'Token token="', `B${'x'.repeat(49)}`],
      [' a', 'a\n', 'ä', 'B'.repeat(51)],
    );
  });

  it('are variables that have no other use', () => {
    takes(
      whyNoVariable,
      ['MODEL_BASE_URL', '_x', 'npm_config_registry', 'MY_PATH', 'ENVIRONMENT'],
      [
        ...['', '1A', 'A-B', 'A B', 'PATH', 'HOME', 'BASH_ENV', 'ENV', 'NODE_OPTIONS', 'IFS', 'LD_PRELOAD'],
        ...egressVariables(),
      ],
    );
    for (const name of [
      'HTTP_PROXY',
      'https_proxy',
      'no_proxy',
      'ALL_PROXY',
      'all_proxy',
      'FTP_PROXY',
      'ftp_proxy',
    ])
      assert.ok(egressVariables().has(name), name);
  });

  it('are an upstream on this machine or network, or further away', () => {
    takes(
      (host) => whyNotEncrypted(`http://${host}`),
      ['localhost', '127.0.0.1', '127.9.9.9', '10.1.2.3', '192.168.0.1', '172.16.0.1', '172.31.9.9', '[::1]'],
      ['example.org', 'localhost.evil.org', '11.1.2.3', '172.15.0.1', '172.32.0.1', '192.169.0.1', '[::2]'],
    );
    assert.equal(whyNotEncrypted('https://example.org'), undefined);
  });

  it('are no two of one name or variable, and many without one', () => {
    const route = (name: string, baseUrlEnv: string | null, keyEnv: string | null) => ({
      ...{ name, baseUrlEnv, keyEnv },
    });
    assert.deepEqual(repeatedInRoutes([route('a', null, 'K'), undefined, route('b', null, 'L')]), []);
    assert.deepEqual(repeatedInRoutes([route('a', 'B', 'K'), route('a', 'B', 'L'), route('a', 'C', 'K')]), [
      { key: 'name', value: 'a' },
      { key: 'baseUrlEnv', value: 'B' },
      { key: 'keyEnv', value: 'K' },
    ]);
  });
});

describe('an upstream as it is written', () => {
  for (const text of ['https://a.org', 'http://a.org:8080', 'https://a.org/v1/x', 'https://[fd00::1]:81'])
    it(`is ${text}`, () => {
      assert.equal(whyNoUpstream(text), undefined);
    });

  for (const [text, why] of [
    ['', 'is not an address such as https://api.example.org/base'],
    ['a.org', 'is not an address such as https://api.example.org/base'],
    ['ftp://a.org', 'is not an address such as https://api.example.org/base'],
    ['xhttps://a.org', 'is not an address such as https://api.example.org/base'],
    ['https://a.org/ä', 'is not an address such as https://api.example.org/base'],
    ['https://a.org/x y', 'is not an address such as https://api.example.org/base'],
    ['https://a.org:99999', 'is not an address such as https://api.example.org/base'],
    ['https://u@a.org', 'has credentials in it: use auth.secret'],
    ['https://:p@a.org', 'has credentials in it: use auth.secret'],
    ['https://a.org/x?', 'may have no ? and no #: neither query nor fragment'],
    ['https://a.org/?a', 'may have no ? and no #: neither query nor fragment'],
    ['https://a.org/#', 'may have no ? and no #: neither query nor fragment'],
    ['https://A.org', 'must be written as https://a.org'],
    ['https://a.org:443', 'must be written as https://a.org'],
    ['https://127.1', 'must be written as https://127.0.0.1'],
    ['https://a.org./x', 'must name one host'],
    ['https://*.a.org', 'must name one host'],
    ['https://a.org/a/../b', 'must be written as https://a.org/b'],
    ['https://a.org/a//b', 'has two slashes in a row'],
  ] as const)
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(whyNoUpstream(text), why);
    });

  it('has a port of its own, or that of its protocol', () => {
    assert.equal(upstreamOf({ upstream: 'http://a.org' }).port, 80);
    assert.equal(upstreamOf({ upstream: 'https://a.org' }).port, 443);
    assert.deepEqual(upstreamOf({ upstream: 'https://[fd00::1]:81/a/' }), {
      ...{ secure: true, host: 'fd00::1', port: 81, base: '/a' },
    });
  });
});

describe('what a route to a model lets through', () => {
  it('is a model, or all of a beginning', () => {
    takes(
      whyNoModelPattern,
      ['gpt-5', 'claude-*', '*', 'org/model:free', 'a'.repeat(200)],
      ['', 'a*b', '**', '-a', 'a b', 'a'.repeat(201), '*a'],
    );
    const listed = (model: string): boolean => isListedModel({ models: ['gpt-5', 'claude-*'] }, model);
    assert.ok(['gpt-5', 'claude-', 'claude-opus'].every(listed));
    assert.ok(!['gpt-5-mini', 'gpt-', 'my-claude-opus', 'claude', ''].some(listed));
    assert.equal(isListedModel({ models: ['*'] }, 'any'), true);
  });

  it('is a number of tokens that a model may write', () => {
    for (const good of [1, 64_000, MOST_OUTPUT_TOKENS]) assert.equal(whyNoOutputCap(good), undefined);
    for (const bad of [0, -1, 1.5, Number.NaN, Infinity, MOST_OUTPUT_TOKENS + 1, '1'])
      assert.equal(whyNoOutputCap(bad), 'must be a whole number from 1 to 1000000', String(bad));
  });

  it('is no method whose body is not read', () => {
    assert.equal(whyNoModelMethods(['GET', 'HEAD', 'POST']), undefined);
    assert.match(whyNoModelMethods(['POST', 'PUT', 'DELETE']) ?? '', /: not PUT$/);
  });
});

describe('routes, as many as there may be', () => {
  const route = (index: number, change: object = {}) => ({
    ...{ name: `r${String(index)}`, upstream: 'https://a.org', methods: ['GET'], paths: ['/'] },
    ...change,
  });
  const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/${String(at)}`);
  const problems = (...routes: readonly unknown[]): readonly string[] => {
    const read = readRoutes(routes);
    return read.kind === 'problems' ? read.problems : [];
  };

  it('are a hundred, with a thousand entries each', () => {
    const many = (count: number): unknown[] => Array.from({ length: count }, (_, at) => route(at));
    assert.deepEqual(problems(...many(MAX_ROUTES)), []);
    assert.deepEqual(problems(...many(MAX_ROUTES + 1)), ['routes: at most 100']);
    assert.deepEqual(problems(route(1, { paths: paths(MAX_ENTRIES) })), []);
    assert.deepEqual(problems(route(1, { paths: paths(MAX_ENTRIES + 1) })), [
      'routes[0].paths: must be a list of 1 to 1000 texts',
    ]);
  });

  it('have each entry once', () => {
    const read = readRoutes([route(1, { methods: ['GET', 'GET'], paths: ['/a', '/b', '/a'] })]);
    assert.ok(read.kind === 'routes');
    assert.deepEqual([read.routes[0]?.methods, read.routes[0]?.paths], [['GET'], ['/a', '/b']]);
  });

  it('are told each of their problems, with its place', () => {
    assert.deepEqual(
      problems(route(1), {
        ...{ name: 'R', upstream: 7, methods: 'GET', paths: ['/', 'x', '//'], rewrite: 1, more: 1 },
        ...{ auth: { header: 'host', prefix: 7 }, baseUrlEnv: 7, keyEnv: 'PATH', model: [] },
      }),
      [
        'routes[1]: "more" is unknown',
        'routes[1].name: must be of a-z, 0-9 and hyphens, at most 63, without a hyphen at either end',
        'routes[1].upstream: must be a text',
        'routes[1].methods: must be a list of 1 to 1000 texts',
        'routes[1].paths[1]: does not begin with a slash',
        'routes[1].paths[2]: has two slashes in a row',
        'routes[1].auth.header: is not the name of a header that can carry a key, such as x-api-key',
        'routes[1].auth.prefix: must be a text',
        'routes[1].auth.secret: must be a text',
        'routes[1].baseUrlEnv: must be a text',
        'routes[1].keyEnv: has another use: choose another name',
        'routes[1].rewrite: must be true or false',
        'routes[1].model: must be an object',
      ],
    );
    assert.deepEqual(parseRoutes(JSON.stringify({ ['x'.repeat(50)]: 1, routes: 7 })), {
      kind: 'problems',
      problems: [`"${'x'.repeat(40)}": unknown`, 'routes: must be a list'],
    });
    assert.deepEqual(parseRoutes('{'), { kind: 'problems', problems: ['not JSON'] });
    assert.deepEqual(parseRoutes('[]'), { kind: 'problems', problems: ['must be an object with "routes"'] });
  });

  it('may have a key without a prefix, and rewrite', () => {
    const auth = { header: 'x-api-key', secret: 'key' };
    const read = readRoutes([route(1, { auth, rewrite: true, baseUrlEnv: null, keyEnv: 'K', model: null })]);
    assert.ok(read.kind === 'routes');
    assert.deepEqual(read.routes, [
      route(1, { auth: { ...auth, prefix: '' }, rewrite: true, baseUrlEnv: null, keyEnv: 'K', model: null }),
    ]);
  });
});

describe('hosts where anybody may leave data', () => {
  it('are the best known ones, and all names below them', () => {
    const known = ['github.com', 'gist.github.com', 'x.s3.amazonaws.com', 'pastebin.com', 'hooks.slack.com'];
    assert.ok(known.every(takesUploads));
    assert.ok(!['example.org', 'notgithub.com', 'github.com.evil.org', 'com', ''].some(takesUploads));
  });
});
