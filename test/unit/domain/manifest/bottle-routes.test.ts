import assert from 'node:assert/strict';
import { mergeBottleLayers, requireDistinctRoutes } from '../../../../src/domain/manifest/manifest-merge.js';
import { layerOf, layersOf, problemsOf } from '../../../support/manifests/front-matter.js';

describe('the routes of a bottle', () => {
  const route = (more: object): object => ({ name: 'x', upstream: 'https://x.example', ...more });
  const routesOf = (...routes: readonly object[]) => layerOf(`routes: ${JSON.stringify(routes)}`).routes;
  const wrong = (...routes: readonly object[]): readonly string[] => problemsOf(() => routesOf(...routes));

  it('are a hundred at most', () => {
    const many = Array.from({ length: 101 }, (_, index) => route({ name: `x${String(index)}` }));
    assert.equal(routesOf(...many.slice(1)).length, 100);
    assert.deepEqual(wrong(...many), ['2: "routes" has more than 100 routes']);
  });

  it('are reported for what is missing, not for missing it twice', () => {
    const nameless = { upstream: 'https://x.example' };
    assert.deepEqual(wrong(nameless, nameless), [
      '2: "routes[0].name" is missing',
      '2: "routes[1].name" is missing',
    ]);
  });

  it('are reported where one repeats another, and no third beside them', () => {
    assert.deepEqual(wrong(route({}), route({}), route({ name: 'y' })), [
      '2: "routes[1].name" stands there twice',
    ]);
  });

  it('without a model may have any method that there is', () => {
    assert.deepEqual(routesOf(route({ methods: ['PUT', 'delete'] }))[0]?.methods, ['PUT', 'DELETE']);
  });

  it('have at most a thousand paths, of at most 500 characters', () => {
    const paths = Array.from({ length: 1000 }, (_, index) => `/${String(index)}`);
    assert.deepEqual(routesOf(route({ paths }))[0]?.paths, paths);
    assert.match(wrong(route({ paths: [...paths, '/more'] })).join(), /must have 1 to 1000 entries/);
    const long = `/${'a'.repeat(499)}`;
    assert.deepEqual(routesOf(route({ paths: [long] }))[0]?.paths, [long]);
    assert.match(wrong(route({ paths: [`${long}a`] })).join(), /must be a path/);
  });

  it('send no secret of the orchestrator’s own, and none that has no such name', () => {
    assert.match(wrong(route({ auth: { secret: 'forge-token' } })).join(), /orchestrator’s own secret/);
    assert.match(wrong(route({ auth: { secret: 'A_B' } })).join(), /not the name of a secret/);
  });

  it('go by http only to what is near', () => {
    assert.match(wrong(route({ upstream: 'http://x.example' })).join(), /must be https: http only to/);
    for (const upstream of ['http://127.0.0.1:3000', 'http://10.0.0.5'])
      assert.equal(routesOf(route({ upstream }))[0]?.upstream, upstream);
  });
});

describe('routes of merged bottles', () => {
  const route = (name: string, more: string): string =>
    `routes:\n  - { name: ${name}, upstream: "https://${name}.example", ${more} }`;
  const wrong = (...texts: readonly string[]): readonly string[] => {
    const layers = layersOf(...texts);
    const merged = mergeBottleLayers(layers.map(({ layer }) => layer));
    return problemsOf(() => {
      requireDistinctRoutes(merged, layers);
    });
  };

  it('each have variables of their own, and the error is at the last that has not', () => {
    assert.deepEqual(wrong(route('a', 'key_env: K'), 'image: x', route('b', 'key_env: K')), [
      '3: "routes" a and b have one key_env, K: give each its own',
    ]);
    assert.deepEqual(wrong(route('a', 'base_url_env: U'), route('b', 'base_url_env: U')), [
      '3: "routes" a and b have one base_url_env, U: give each its own',
    ]);
  });

  it('are named where they repeat each other, however many, and no other beside them', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => route(name, 'key_env: K'));
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    assert.deepEqual(wrong(a, `image: x\n${b}`, route('other', 'key_env: L'), `image: x\nsetup: y\n${c}`), [
      '5: "routes" a and b and c have one key_env, K: give each its own',
    ]);
  });

  it('may take the variable of one that they replace', () => {
    assert.deepEqual(wrong(route('a', 'key_env: K'), route('a', 'key_env: K'), route('b', 'key_env: L')), []);
  });

  it('are wrong in the file of the last of them', () => {
    const layers = layersOf(route('a', 'key_env: K'), `image: x\n${route('b', 'key_env: K')}`);
    const { routes } = mergeBottleLayers(layers.map(({ layer }) => layer));
    assert.throws(
      () => {
        requireDistinctRoutes({ routes }, layers);
      },
      { message: /^1\.md:4: / },
    );
  });
});
