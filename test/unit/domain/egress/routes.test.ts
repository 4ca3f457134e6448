import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Route } from '../../../../src/domain/egress/route.js';
import { parseRoutes } from '../../../../src/domain/egress/routes.js';
import { routeOfHost, upstreamAuthority } from '../../../../src/domain/egress/upstream.js';

const model: Route = {
  name: 'model',
  upstream: 'https://api.example.com',
  methods: ['POST'],
  paths: ['/v1/messages'],
  auth: { header: 'x-api-key', prefix: '', secret: 'model-key' },
  baseUrlEnv: 'MODEL_BASE_URL',
  keyEnv: 'MODEL_API_KEY',
  rewrite: false,
  model: null,
};
const parse = (...routes: readonly unknown[]): ReturnType<typeof parseRoutes> =>
  parseRoutes(JSON.stringify({ routes }));

describe('routes.json', () => {
  it('is read as it is written', () => {
    assert.deepEqual(parse(model), { kind: 'routes', routes: [model] });
    assert.deepEqual(parse(), { kind: 'routes', routes: [] });
  });

  it('may leave out what has a plain default; a slash at the end of an upstream is the same', () => {
    const read = parse({
      name: 'npm',
      upstream: 'http://registry.lan:4873/base/',
      methods: ['GET'],
      paths: ['/'],
    });
    assert.deepEqual(read, {
      kind: 'routes',
      routes: [
        {
          name: 'npm',
          upstream: 'http://registry.lan:4873/base',
          methods: ['GET'],
          paths: ['/'],
          auth: null,
          baseUrlEnv: null,
          keyEnv: null,
          rewrite: false,
          model: null,
        },
      ],
    });
  });

  it('has what a route to a model lets through', () => {
    const rule = {
      api: 'openai-responses',
      models: ['gpt-5*', '*'],
      maxOutputTokens: 9,
      allow: ['store', 'files'],
    };
    const read = parse({ ...model, model: rule });
    assert.deepEqual(read, {
      kind: 'routes',
      routes: [{ ...model, model: { ...rule, allow: ['files', 'store'] } }],
    });
    assert.equal(parse({ ...model, model: { ...rule, allow: undefined } }).kind, 'routes');
  });

  const rule = { api: 'anthropic-messages', models: ['claude-*'], maxOutputTokens: 64_000, allow: [] };
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['an unknown key that is long', { ...model, ['x'.repeat(500)]: 1 }, /^routes\[0\]: "x{40}" is unknown$/],
    ['a name that is no text', { ...model, name: 5 }, /\.name: must be a text$/],
    ['an unknown key', { ...model, colour: 'red' }, /^routes\[0\]: "colour" is unknown$/],
    ['a name with a slash', { ...model, name: 'a/b' }, /^routes\[0\]\.name: /],
    ['no upstream', { ...model, upstream: undefined }, /\.upstream: must be a text/],
    ['a user', { ...model, upstream: 'https://u:p@a.org' }, /\.upstream: has credentials/],
    ['no methods', { ...model, methods: [] }, /\.methods: must be a list/],
    ['methods in small letters', { ...model, methods: ['get'] }, /\.methods\[0\]: must be some of GET/],
    ['CONNECT', { ...model, methods: ['POST', 'CONNECT'] }, /\.methods\[1\]/],
    ['a path without a slash', { ...model, paths: ['v1'] }, /\.paths\[0\]: does not begin/],
    ['a path with dot segments', { ...model, paths: ['/', '/a/../b'] }, /\.paths\[1\]: has dot segments/],
    ['paths that are numbers', { ...model, paths: [1] }, /\.paths: must be a list of texts/],
    [
      'a header of the exchange',
      { ...model, auth: { ...model.auth, header: 'content-length' } },
      /\.auth\.header/,
    ],
    [
      'a prefix with a line break',
      { ...model, auth: { ...model.auth, prefix: 'a\r\nb: c' } },
      /\.auth\.prefix/,
    ],
    [
      'a secret with a path',
      { ...model, auth: { ...model.auth, secret: '../forge-token' } },
      /\.auth\.secret/,
    ],
    ['a secret’s value', { ...model, auth: { ...model.auth, value: 'x' } }, /\.auth: "value" is unknown/],
    ['the proxy’s own variable', { ...model, keyEnv: 'https_proxy' }, /\.keyEnv: /],
    ['a variable of the system', { ...model, baseUrlEnv: 'LD_PRELOAD' }, /\.baseUrlEnv: /],
    ['rewrite as a text', { ...model, rewrite: 'yes' }, /\.rewrite: must be true or false/],
    ['a rule of no kind', { ...model, model: 'claude' }, /\.model: must be an object/],
    ['an unknown dialect', { ...model, model: { ...rule, api: 'mine' } }, /\.model\.api: must be one of/],
    ['no models', { ...model, model: { ...rule, models: [] } }, /\.model\.models: must be a list/],
    [
      'a star within',
      { ...model, model: { ...rule, models: ['a*b'] } },
      /\.model\.models\[0\]: must be the name of a mo/,
    ],
    ['no cap', { ...model, model: { ...rule, maxOutputTokens: 0 } }, /\.maxOutputTokens: must be a whole/],
    ['half a token', { ...model, model: { ...rule, maxOutputTokens: 1.5 } }, /\.maxOutputTokens: must be/],
    ['an unknown feature', { ...model, model: { ...rule, allow: ['all'] } }, /\.allow: must be a list of/],
    ['a feature twice', { ...model, model: { ...rule, allow: ['store', 'store'] } }, /\.allow: must be/],
    ['a feature as a text', { ...model, model: { ...rule, allow: 'store' } }, /\.allow: must be/],
    ['more of a rule', { ...model, model: { ...rule, free: true } }, /\.model: "free" is unknown/],
    ['a body that is not read', { ...model, methods: ['PUT'], model: rule }, /\.methods: .*not PUT/],
    ['a list', [], /^routes\[0\]: must be an object/],
    ['null', null, /^routes\[0\]: must be an object/],
  ];
  for (const [what, route, why] of wrong)
    it(`is refused with ${what}, and says where`, () => {
      const read = parse(route);
      assert.ok(read.kind === 'problems');
      assert.match(read.problems.join('\n'), why);
    });

  it('is refused with two routes of one name or one variable', () => {
    const read = parse(model, { ...model, upstream: 'https://b.org' });
    assert.deepEqual(read, {
      kind: 'problems',
      problems: [
        'routes: two of them have the name "model"',
        'routes: two of them have the baseUrlEnv "MODEL_BASE_URL"',
        'routes: two of them have the keyEnv "MODEL_API_KEY"',
      ],
    });
  });

  it('is refused when it is something else, never with an exception', () => {
    for (const text of ['', '{', '[]', 'null', '{"routes": {}}', '{"routes": [], "more": 1}', '{}'])
      assert.equal(parseRoutes(text).kind, 'problems', text);
    fc.assert(
      fc.property(fc.json(), fc.anything(), (json, value) => {
        parseRoutes(json);
        parse(value, { ...model, methods: value, auth: value, model: value });
        parse({ ...model, model: { ...rule, models: value, allow: value, maxOutputTokens: value } });
      }),
    );
  });
});

describe('an upstream', () => {
  const of = (upstream: string): Pick<Route, 'upstream'> => ({ upstream });
  it('is bound by host and port', () => {
    assert.equal(upstreamAuthority(of('https://a.org/v1')), 'a.org:443');
    assert.equal(upstreamAuthority(of('http://[fd00::1]')), '[fd00::1]:80');
  });

  it('is known by its host, whatever the port', () => {
    assert.equal(routeOfHost([model], 'api.example.com')?.name, 'model');
    assert.equal(routeOfHost([model], 'example.com'), undefined);
  });
});
