import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bottleLayers,
  mergeBottleLayers,
  type LoadedLayer,
} from '../../../../src/domain/manifest/manifest-merge.js';
import type { BottleManifest } from '../../../../src/domain/manifest/manifests.js';
import { documentOf, layerOf, layersOf } from '../../../support/manifests/front-matter.js';
import { sampleBottle } from '../../../support/manifests/samples.js';

/** Of layers from bottom to top. */
const mergedFrom = (...texts: readonly string[]): BottleManifest =>
  mergeBottleLayers(layersOf(...texts).map(({ layer }) => layer));

/** Bottles by their names. */
function loader(
  bottles: Readonly<Record<string, string>>,
): (name: string) => Promise<LoadedLayer | undefined> {
  return (name) => {
    const text = bottles[name];
    if (text === undefined) return Promise.resolve(undefined);
    return Promise.resolve({ document: documentOf(text, `${name}.md`), layer: layerOf(text, `${name}.md`) });
  };
}

describe('merged bottles', () => {
  it('join lists and take scalars from the last that says something', () => {
    const merged = mergedFrom(
      `image: one
env: { X: "1", Y: "1" }
publish: { allow_paths: [.github/, a], drafts: true }
resources: { cpus: 1, disk: 2m, files: 700 }
egress: { allow: [a.example, "b.example:8443"] }
registries: npm
setup: one
workspace: { depth: 3, sparse: src, submodule_repos: a/b, lfs: true }
forge_wake: org
forge_read: allowed`,
      `env: { Y: "2" }
publish: { allow_paths: [a, b], base: dev }
resources: { memory: 99m, disk: 1m }
egress: { allow: ["b.example:8443", "*.c.example"] }
registries: [go, npm]
setup: two
workspace: { depth: 0, sparse: [docs, src], submodules: true, submodule_repos: [a/b, c/d] }
runtime: runsc`,
    );
    const expected = sampleBottle({
      image: 'one',
      env: { X: '1', Y: '2' },
      limits: { memoryBytes: 99 * 1024 ** 2, cpus: 1, pids: 512 },
      disk: { bytes: 1024 ** 2, inodes: 700 },
      publish: { allowPaths: ['.github/', 'a', 'b'], drafts: true, base: 'dev' },
      allow: ['a.example', 'b.example:8443', '*.c.example'],
      registries: ['npm', 'go'],
      setup: 'two',
      workspace: {
        ...{ depth: null, sparse: ['src', 'docs'], submodules: true },
        ...{ submoduleRepos: ['a/b', 'c/d'], lfs: true },
      },
      forgeWake: 'org',
      forgeRead: 'allowed',
      runtime: 'runsc',
    });
    assert.deepEqual(merged, expected);
  });

  it('take a route from the last that has one of its name', () => {
    const merged = mergedFrom(
      'routes: [{ name: one, upstream: "https://a.example" }, { name: two, upstream: "https://b.example" }]',
      'routes: [{ name: one, upstream: "https://c.example" }]',
    );
    assert.deepEqual(
      merged.routes.map(({ name, upstream }) => [name, upstream]),
      [
        ['one', 'https://c.example'],
        ['two', 'https://b.example'],
      ],
    );
  });

  for (const [texts, image, dockerfile] of [
    [['image: one', 'dockerfile: D'], null, 'FROM x'],
    [['dockerfile: D', 'image: one'], 'one', null],
    [['dockerfile: D', 'setup: s'], null, 'FROM x'],
  ] as const)
    it(`have one image: what the last says of it counts, ${texts.join(' / ')}`, () => {
      const merged = mergedFrom(...texts);
      assert.deepEqual([merged.image, merged.dockerfile], [image, dockerfile]);
    });

  it('keep a variable that has an odd name', () => {
    assert.deepEqual(Object.entries(mergedFrom('env: { __proto__: x }').env), [['__proto__', 'x']]);
  });

  it('have safe limits when nobody says any', () => {
    assert.deepEqual(mergeBottleLayers([]).limits, { memoryBytes: 2 * 1024 ** 3, cpus: 2, pids: 512 });
    assert.equal(mergeBottleLayers([]).publish.drafts, false);
  });

  it('follow the rule for any layers in any order', () => {
    const some = fc.record({
      image: fc.option(fc.constantFrom('i', 'j'), { nil: undefined }),
      paths: fc.array(fc.constantFrom('a', 'b', 'c')),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), (parts) => {
        const texts = parts.map(
          ({ image, paths }) =>
            `publish: { allow_paths: [${paths.join()}] }${image === undefined ? '' : `\nimage: ${image}`}`,
        );
        const { image, publish } = mergedFrom(...texts);
        assert.equal(image, parts.map((one) => one.image).findLast((one) => one !== undefined) ?? null);
        assert.deepEqual(publish.allowPaths, [...new Set(parts.flatMap((one) => one.paths))]);
      }),
    );
  });
});

describe('a bottle that extends others', () => {
  it('comes after them, each once', async () => {
    const load = loader({ base: '', l: 'extends: base', r: 'extends: base', top: 'extends: [l, r]' });
    assert.deepEqual(
      (await bottleLayers('top', load))?.map((one) => one.layer.name),
      ['base', 'l', 'r', 'top'],
    );
  });

  it('is nothing when it does not exist, and wrong when what it extends does not', async () => {
    const load = loader({ a: 'extends: b', b: 'extends: gone' });
    assert.equal(await bottleLayers('gone', load), undefined);
    await assert.rejects(bottleLayers('a', load), {
      name: 'ManifestError',
      message: 'b.md:2: "extends" names "gone", and there is no such bottle',
    });
  });

  it('is refused when they extend each other in a circle, with the circle', async () => {
    const load = loader({ in: 'extends: a', a: 'extends: b', b: 'extends: a', self: 'extends: self' });
    await assert.rejects(bottleLayers('in', load), /^ManifestError: b\.md:2: .*circle: a → b → a$/);
    await assert.rejects(bottleLayers('self', load), /circle: self → self/);
  });
});
