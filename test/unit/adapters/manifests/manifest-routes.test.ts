import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseManifest } from '../../../../src/adapters/manifests/parse-manifest.js';
import { isPublicSuffix } from '../../../../src/adapters/manifests/public-suffix.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import { parseRoutes } from '../../../../src/domain/egress/routes.js';
import { readBottleLayer } from '../../../../src/domain/manifest/manifest-bottle.js';
import { ManifestError } from '../../../../src/domain/manifest/manifest-reader.js';

type Written = Readonly<Record<string, unknown>>;

/** What the manifest makes of them; the problems where it refuses them. */
function read(routes: readonly Written[]): readonly Route[] | string {
  const text = `---\nroutes: ${JSON.stringify(routes)}\n---\n`;
  try {
    return readBottleLayer(parseManifest('x.md', 'x', text), isPublicSuffix).routes;
  } catch (error) {
    assert.ok(error instanceof ManifestError, String(error));
    return error.message;
  }
}

const X: Written = { name: 'x', upstream: 'https://x.example' };
const key = (auth: Written): Written => ({ ...X, auth: { secret: 'k', ...auth } });
const rule: Written = { api: 'anthropic-messages', models: ['claude-*'] };
const model = (more: Written): Written => ({ ...X, model: { ...rule, ...more } });

describe('routes of a manifest', () => {
  for (const [what, routes, why] of [
    ['a name that ends in a hyphen', [{ ...X, name: 'x-' }], /"routes\[0\]\.name" .*hyphen at either end/],
    ['no methods', [{ ...X, methods: [] }], /"routes\[0\]\.methods" must have 1 to 1000 entries/],
    ['no paths', [{ ...X, paths: [] }], /"routes\[0\]\.paths" must have 1 to 1000 entries/],
    ['dot segments with parameters', [{ ...X, paths: ['/a/..;x/b'] }], /"routes\[0\]\.paths" must be a path/],
    ['an upstream with a dot at its end', [{ ...X, upstream: 'https://x.example./' }], /must name one host/],
    ['an upstream with a wildcard', [{ ...X, upstream: 'https://*.x.example' }], /must name one host/],
    ['a header of the body', [key({ header: 'Content-Type' })], /auth\.header" is not .* can carry a key/],
    ['a header of the proxy', [key({ header: 'proxy-authorization' })], /auth\.header" is not/],
    ['a long prefix', [key({ prefix: 'a'.repeat(51) })], /auth\.prefix" must be printable/],
    ['the system’s variable', [{ ...X, base_url_env: 'PATH' }], /base_url_env" has another use/],
    ['the linker’s variable', [{ ...X, key_env: 'LD_PRELOAD' }], /key_env" has another use/],
    ['the proxy’s variable', [{ ...X, base_url_env: 'https_proxy' }], /base_url_env" has another use/],
    [
      'one variable twice',
      [
        { ...X, key_env: 'KEY' },
        { ...X, name: 'y', key_env: 'KEY' },
      ],
      /"routes\[1\]\.key_env" stands there twice/,
    ],
    ['a model without its dialect', [{ ...X, model: { models: ['m'] } }], /model\.api" is missing/],
    ['a model of an unknown dialect', [model({ api: 'x' })], /model\.api" must be one of/],
    ['no models', [{ ...X, model: { api: 'openai-chat' } }], /model\.models" is missing/],
    [
      'a model with a star within',
      [model({ models: ['a*b'] })],
      /model\.models" must be the name of a model/,
    ],
    ['a cap of nothing', [model({ max_output_tokens: 0 })], /max_output_tokens" must be a whole number/],
    ['an unknown feature', [model({ allow: ['everything'] })], /model\.allow" must be one of server_tools/],
    ['a method that is not read', [{ ...model({}), methods: ['PUT'] }], /methods" of a route to a model/],
  ] as const)
    it(`are refused with ${what}`, () => {
      const problems = read(routes);
      assert.ok(typeof problems === 'string', 'accepted');
      assert.match(problems, why);
      assert.equal(problems.split('\n').length, 1, problems);
    });

  it('are written as the proxy compares them', () => {
    const [route] = read([{ ...X, upstream: 'HTTPS://X.example:443/base/', methods: ['get', 'GET'] }]);
    assert.ok(typeof route === 'object');
    assert.deepEqual([route.upstream, route.methods], ['https://x.example/base', ['GET']]);
  });

  it('to a model have defaults', () => {
    const [route] = read([model({})]);
    assert.ok(typeof route === 'object');
    assert.deepEqual(route.methods, ['POST']);
    assert.deepEqual(route.model, { ...rule, maxOutputTokens: 64_000, allow: [] });
  });

  it('that are accepted are accepted by the sidecar, too', () => {
    /** Mostly what is fine, so that some routes have nothing wrong with them. */
    const mostly = (good: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...good) },
        { weight: 1, arbitrary: fc.constantFrom(...odd) },
      );
    const nameLike = mostly(['x', 'y', 'a-b', '0'], ['a-', '-a', 'A', '', 'é', 'a'.repeat(64)]);
    const pathLike = fc
      .array(mostly(['/', 'a', 'v1', '~', '*'], ['.', '..', ';x', '%2f', '%2e', '\\', '?', ' ']), {
        maxLength: 4,
      })
      .map((parts) => `/${parts.join('')}`);
    const upstreamLike = fc
      .tuple(
        mostly(['https://', 'HTTPS://'], ['http://', 'ftp://']),
        mostly(
          ['a.example', 'A.Example'],
          ['a.example.', '*.example', 'localhost', '127.1', '[::1]', 'u@a.b'],
        ),
        mostly(['', ':443', ':8443'], [':0', ':99999']),
        fc.oneof(fc.constantFrom('', '/', '/v1/'), pathLike),
      )
      .map((parts) => parts.join(''));
    const variableLike = mostly(
      ['KEY', 'URL'],
      ['PATH', 'no_proxy', 'LD_A', 'FORGE_X', 'A-B', 'a'.repeat(101)],
    );
    const authLike = fc.record(
      {
        secret: nameLike,
        header: mostly(
          ['x-api-key', 'Authorization'],
          ['host', 'range', 'proxy-x', 'a'.repeat(61), 'a b', '-a'],
        ),
        prefix: mostly(['', 'Bearer '], [' x', 'é', 'a'.repeat(51), 'a\nb']),
      },
      { requiredKeys: ['secret'] },
    );
    const modelLike = fc.record(
      {
        api: mostly(['anthropic-messages', 'openai-responses', 'openai-chat'], ['x']),
        models: fc.array(mostly(['claude-*', 'gpt-5', '*'], ['', 'a*b', '**', 'a'.repeat(202)]), {
          minLength: 1,
          maxLength: 3,
        }),
        max_output_tokens: fc.oneof(fc.integer({ min: -1, max: 1_000_001 }), fc.constant(0.5)),
        allow: fc.array(mostly(['store', 'files', 'background'], ['all']), { maxLength: 3 }),
      },
      { requiredKeys: ['api', 'models'] },
    );
    const routeLike = fc.record(
      {
        name: nameLike,
        upstream: upstreamLike,
        methods: fc.array(mostly(['GET', 'post', 'PUT'], ['CONNECT', 'TRACE', '']), { maxLength: 2 }),
        paths: fc.array(pathLike, { maxLength: 2 }),
        auth: authLike,
        base_url_env: variableLike,
        key_env: variableLike,
        rewrite: fc.boolean(),
        model: modelLike,
      },
      { requiredKeys: ['name', 'upstream'] },
    );
    let accepted = 0;
    let models = 0;
    fc.assert(
      fc.property(fc.array(routeLike, { minLength: 1, maxLength: 2 }), (written) => {
        const routes = read(written);
        if (typeof routes === 'string') return;
        accepted += routes.length;
        models += routes.filter((route) => route.model !== null).length;
        assert.deepEqual(parseRoutes(JSON.stringify({ routes })), { kind: 'routes', routes });
      }),
      { numRuns: 3000 },
    );
    assert.ok(accepted > 10, `only ${String(accepted)} were accepted`);
    assert.ok(models > 2, `only ${String(models)} of them lead to a model`);
  });
});
