import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bottleLayers, mergeBottleLayers, type BottleLayer } from '../../../src/domain/manifest.js';
import { sampleBottle } from '../../support/manifests/samples.js';

function layer(name: string, more: Partial<BottleLayer> = {}): BottleLayer {
  return {
    name,
    extends: [],
    image: undefined,
    env: {},
    memoryBytes: undefined,
    cpus: undefined,
    pids: undefined,
    allowPaths: [],
    drafts: undefined,
    base: undefined,
    ...more,
  };
}

function loader(...layers: BottleLayer[]): (name: string) => Promise<BottleLayer> {
  return (name) => {
    const found = layers.find((one) => one.name === name);
    return found === undefined ? Promise.reject(new Error(`no ${name}`)) : Promise.resolve(found);
  };
}

describe('merged bottles', () => {
  it('join lists and take scalars from the last that says something', () => {
    const merged = mergeBottleLayers(
      [
        layer('a', {
          image: 'one',
          env: { X: '1', Y: '1' },
          allowPaths: ['.github/', 'a'],
          drafts: true,
          cpus: 1,
        }),
        layer('b', { env: { Y: '2' }, allowPaths: ['a', 'b'], base: 'dev', memoryBytes: 99 }),
      ],
      'a+b',
    );
    const expected = sampleBottle({
      name: 'a+b',
      image: 'one',
      env: { X: '1', Y: '2' },
      limits: { memoryBytes: 99, cpus: 1, pids: 512 },
      publish: { allowPaths: ['.github/', 'a', 'b'], drafts: true, base: 'dev' },
    });
    assert.deepEqual(merged, expected);
  });

  it('have safe limits when nobody says any', () => {
    assert.deepEqual(mergeBottleLayers([], 'x').limits, { memoryBytes: 2 * 1024 ** 3, cpus: 2, pids: 512 });
    assert.equal(mergeBottleLayers([], 'x').publish.drafts, false);
  });

  it('follow the rule for any layers in any order', () => {
    const some = fc.record({
      image: fc.option(fc.constantFrom('i', 'j'), { nil: undefined }),
      allowPaths: fc.array(fc.constantFrom('a', 'b', 'c')),
      drafts: fc.option(fc.boolean(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), (parts) => {
        const layers = parts.map((part, i) => layer(String(i), part));
        const { image, publish } = mergeBottleLayers(layers, 'x');
        assert.equal(image, layers.map((one) => one.image).findLast((one) => one !== undefined) ?? null);
        assert.deepEqual(publish.allowPaths, [...new Set(layers.flatMap((one) => one.allowPaths))]);
      }),
    );
  });
});

describe('a bottle that extends others', () => {
  it('comes after them, each once', async () => {
    const load = loader(
      layer('base'),
      layer('l', { extends: ['base'] }),
      layer('r', { extends: ['base'] }),
      layer('top', { extends: ['l', 'r'] }),
    );
    assert.deepEqual(
      (await bottleLayers('top', load)).map(({ name }) => name),
      ['base', 'l', 'r', 'top'],
    );
  });

  it('is refused when they extend each other in a circle, with the circle', async () => {
    const load = loader(
      layer('a', { extends: ['b'] }),
      layer('b', { extends: ['a'] }),
      layer('self', { extends: ['self'] }),
    );
    await assert.rejects(bottleLayers('a', load), /circle: a → b → a/);
    await assert.rejects(bottleLayers('self', load), /circle: self → self/);
  });
});
