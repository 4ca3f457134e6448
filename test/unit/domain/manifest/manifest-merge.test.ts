import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Route } from '../../../../src/domain/egress/route.js';
import type { BottleLayer } from '../../../../src/domain/manifest/manifest-bottle.js';
import {
  bottleLayers,
  mergeBottleLayers,
  type LoadedLayer,
} from '../../../../src/domain/manifest/manifest-merge.js';
import { sampleBottle } from '../../../support/manifests/samples.js';

function layer(name: string, more: Partial<BottleLayer> = {}): BottleLayer {
  return {
    name,
    extends: [],
    image: undefined,
    dockerfile: undefined,
    env: {},
    allow: [],
    routes: [],
    registries: [],
    memoryBytes: undefined,
    cpus: undefined,
    pids: undefined,
    diskBytes: undefined,
    files: undefined,
    setup: undefined,
    workspace: {},
    allowPaths: [],
    drafts: undefined,
    base: undefined,
    forgeWake: undefined,
    checksWake: undefined,
    forgeRead: undefined,
    runtime: undefined,
    ...more,
  };
}

function route(name: string, upstream: string): Route {
  const nothing = { auth: null, baseUrlEnv: null, keyEnv: null, rewrite: false, model: null };
  return { name, upstream, methods: ['GET'], paths: ['/'], ...nothing };
}

function loader(...layers: BottleLayer[]): (name: string) => Promise<LoadedLayer | undefined> {
  return (name) => {
    const found = layers.find((one) => one.name === name);
    const document = { file: `${name}.md`, name, entries: [], body: '' };
    return Promise.resolve(found === undefined ? undefined : { document, layer: found });
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
          diskBytes: 5_000,
          files: 700,
          allow: ['a.example', 'b.example:8443'],
          registries: ['npm'],
          setup: 'one',
          workspace: { depth: 3, sparse: ['src'], submoduleRepos: ['a/b'], lfs: true },
          forgeWake: 'org',
          forgeRead: 'allowed',
        }),
        layer('b', {
          env: { Y: '2' },
          allowPaths: ['a', 'b'],
          base: 'dev',
          memoryBytes: 99,
          diskBytes: 1_000,
          allow: ['b.example:8443', '*.c.example'],
          registries: ['go', 'npm'],
          setup: 'two',
          workspace: {
            depth: null,
            sparse: ['docs', 'src'],
            submodules: true,
            submoduleRepos: ['a/b', 'c/d'],
          },
          runtime: 'runsc',
        }),
      ],
      'a+b',
    );
    const expected = sampleBottle({
      name: 'a+b',
      image: 'one',
      env: { X: '1', Y: '2' },
      limits: { memoryBytes: 99, cpus: 1, pids: 512 },
      disk: { bytes: 1_000, inodes: 700 },
      publish: { allowPaths: ['.github/', 'a', 'b'], drafts: true, base: 'dev' },
      allow: ['a.example', 'b.example:8443', '*.c.example'],
      registries: ['npm', 'go'],
      setup: 'two',
      workspace: {
        depth: null,
        sparse: ['src', 'docs'],
        submodules: true,
        submoduleRepos: ['a/b', 'c/d'],
        lfs: true,
      },
      forgeWake: 'org',
      forgeRead: 'allowed',
      runtime: 'runsc',
    });
    assert.deepEqual(merged, expected);
  });

  it('take a route from the last that has one of its name', () => {
    const merged = mergeBottleLayers(
      [
        layer('a', { routes: [route('one', 'https://a.example'), route('two', 'https://b.example')] }),
        layer('b', { routes: [route('one', 'https://c.example')] }),
      ],
      'a+b',
    );
    assert.deepEqual(merged.routes, [route('one', 'https://c.example'), route('two', 'https://b.example')]);
  });

  it('have one image: what the last says of image or Dockerfile takes the place of both', () => {
    const image = layer('a', { image: 'one' });
    const file = layer('b', { dockerfile: 'b.Dockerfile', dockerfileText: 'FROM x\n' });
    const choice = ({ image: name, dockerfile }: ReturnType<typeof mergeBottleLayers>) => [name, dockerfile];
    assert.deepEqual(choice(mergeBottleLayers([image, file], 'x')), [null, 'FROM x\n']);
    assert.deepEqual(choice(mergeBottleLayers([file, image], 'x')), ['one', null]);
    assert.deepEqual(choice(mergeBottleLayers([file, layer('c')], 'x')), [null, 'FROM x\n']);
  });

  it('keep a variable that has an odd name', () => {
    const env = Object.fromEntries([['__proto__', 'x']]);
    assert.deepEqual(Object.entries(mergeBottleLayers([layer('a', { env })], 'a').env), [['__proto__', 'x']]);
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
      (await bottleLayers('top', load))?.map((one) => one.layer.name),
      ['base', 'l', 'r', 'top'],
    );
  });

  it('is nothing when it does not exist, and wrong when what it extends does not', async () => {
    const load = loader(layer('a', { extends: ['b'] }), layer('b', { extends: ['gone'] }));
    assert.equal(await bottleLayers('gone', load), undefined);
    await assert.rejects(bottleLayers('a', load), {
      name: 'ManifestError',
      message: 'b.md:1: "extends" names "gone", and there is no such bottle',
    });
  });

  it('is refused when they extend each other in a circle, with the circle', async () => {
    const load = loader(
      layer('in', { extends: ['a'] }),
      layer('a', { extends: ['b'] }),
      layer('b', { extends: ['a'] }),
      layer('self', { extends: ['self'] }),
    );
    await assert.rejects(bottleLayers('in', load), /^ManifestError: b\.md:1: .*circle: a → b → a$/);
    await assert.rejects(bottleLayers('self', load), /circle: self → self/);
  });
});
