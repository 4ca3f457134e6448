import assert from 'node:assert/strict';
import { readAgentManifest } from '../../../../src/domain/manifest/manifest-agent.js';
import { mergeBottleLayers } from '../../../../src/domain/manifest/manifest-merge.js';
import {
  agentValues,
  bottleValues,
  linesOfRoute,
  placesOfRoute,
  type ManifestValue,
} from '../../../../src/domain/manifest/manifest-view.js';
import { documentOf, layersOf } from '../../../support/manifests/front-matter.js';

/** What is shown of a bottle of these layers, by key. */
function shown(...texts: readonly string[]): ReadonlyMap<string, Omit<ManifestValue, 'key'>> {
  const layers = layersOf(...texts);
  const bottle = mergeBottleLayers(layers.map(({ layer }) => layer));
  const values = bottleValues(
    bottle,
    layers.map(({ document }) => document),
  );
  assert.equal(new Set(values.map(({ key }) => key)).size, values.length, 'a key twice');
  return new Map(values.map(({ key, value, from }) => [key, { value, from }]));
}

const MIB = 1024 ** 2;
const LOW = `image: reg.example/low
env: { A: one, B: two }
egress: { allow: [a.example] }
routes:
  - name: api
    upstream: https://a.example
registries: npm
resources:
  memory: 512m
  cpus: 1
  pids: 100
  disk: 2g
  files: 1000
setup: "true"
workspace:
  depth: 5
  sparse: [src]
  submodules: true
  submodule_repos: [a/b]
  lfs: true
publish:
  allow_paths: [docs/]
  drafts: true
  base: main
forge_wake: org
forge_read: allowed
runtime: runsc`;
const HIGH = `dockerfile: high.Dockerfile
env: { B: three }
egress:
  allow: [b.example]
routes:
  - name: other
    upstream: https://o.example
  - upstream: https://b.example
    name: api
registries: [go]
resources: { cpus: 2 }
workspace: { sparse: [docs] }
publish: { allow_paths: [.github/] }
forge_wake: no-checks`;

describe('a bottle as people look at it', () => {
  it('has each value that its manifest says, with the line', () => {
    const route = { name: 'api', upstream: 'https://a.example', methods: ['GET', 'HEAD'], paths: ['/'] };
    const plain = { auth: null, baseUrlEnv: null, keyEnv: null, rewrite: false, model: null };
    const rows: readonly (readonly [string, unknown, number])[] = [
      ['image', 'reg.example/low', 2],
      ['env.A', 'one', 3],
      ['env.B', 'two', 3],
      ['egress.allow', ['a.example'], 4],
      ['routes.api', { ...route, ...plain }, 6],
      ['registries', ['npm'], 8],
      ['resources.memory', 512 * MIB, 10],
      ['resources.cpus', 1, 11],
      ['resources.pids', 100, 12],
      ['resources.disk', 2048 * MIB, 13],
      ['resources.files', 1000, 14],
      ['setup', 'true', 15],
      ['workspace.depth', 5, 17],
      ['workspace.sparse', ['src'], 18],
      ['workspace.submodules', true, 19],
      ['workspace.submodule_repos', ['a/b'], 20],
      ['workspace.lfs', true, 21],
      ['publish.allow_paths', ['docs/'], 23],
      ['publish.drafts', true, 24],
      ['publish.base', 'main', 25],
      ['forge_wake', 'org', 26],
      ['forge_read', 'allowed', 27],
      ['runtime', 'runsc', 28],
    ];
    const expected = rows.map(([key, value, line]) => [key, { value, from: [`0.md:${String(line)}`] }]);
    assert.deepEqual([...shown(LOW)], expected);
  });

  it('names the last layer for a value that the last decides, and all of them for a joined list', () => {
    const values = shown(LOW, HIGH);
    const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
      ['dockerfile', 'FROM x', ['1.md:2']],
      ['env.A', 'one', ['0.md:3']],
      ['env.B', 'three', ['1.md:3']],
      ['egress.allow', ['a.example', 'b.example'], ['0.md:4', '1.md:5']],
      ['registries', ['npm', 'go'], ['0.md:8', '1.md:11']],
      ['resources.cpus', 2, ['1.md:12']],
      ['resources.pids', 100, ['0.md:12']],
      ['workspace.sparse', ['src', 'docs'], ['0.md:18', '1.md:13']],
      ['publish.allow_paths', ['docs/', '.github/'], ['0.md:23', '1.md:14']],
      ['forge_wake', ['org', 'no-checks'], ['1.md:15']],
    ];
    for (const [key, value, from] of rows) assert.deepEqual(values.get(key), { value, from }, key);
    assert.deepEqual(values.get('routes.api')?.from, ['1.md:9']);
  });

  it('has defaults that come from no line, and nothing where something outside decides', () => {
    const rows: readonly (readonly [string, unknown])[] = [
      ['image', null],
      ['egress.allow', []],
      ['registries', []],
      ['resources.memory', 2048 * MIB],
      ['resources.disk', null],
      ['setup', null],
      ['publish.drafts', false],
      ['forge_wake', null],
      ['forge_read', 'all'],
      ['runtime', null],
    ];
    const values = shown('extends: []');
    for (const [key, value] of rows) assert.deepEqual(values.get(key), { value, from: [] }, key);
    assert.equal(values.has('dockerfile'), false);
  });

  it('says that checks do not wake it where that is all that is said', () => {
    assert.deepEqual(shown('forge_wake: no-checks').get('forge_wake')?.value, ['no-checks']);
    assert.deepEqual(shown('forge_wake: checks').get('forge_wake')?.value, null);
  });

  it('shows image or Dockerfile, whichever the last layer took', () => {
    const image = 'image: a';
    const file = 'dockerfile: b';
    const rows = [
      [[image], ['image']],
      [[file], ['dockerfile']],
      [[image, file], ['dockerfile']],
      [[file, image], ['image']],
    ] as const;
    for (const [texts, keys] of rows) {
      const values = shown(...texts);
      assert.deepEqual(
        ['image', 'dockerfile'].filter((key) => values.has(key)),
        keys,
        texts.join(),
      );
    }
  });
});

describe('an agent as people look at it', () => {
  const valuesOf = (text: string): readonly (readonly unknown[])[] => {
    const document = documentOf(text, 'coder.md');
    return agentValues(readAgentManifest(document), document).map(({ key, value, from }) => [
      key,
      value,
      ...from,
    ]);
  };

  it('has each value that its manifest says, with the line', () => {
    const text = `provider: claude
model: opus
variant: high
bottle: node
git:
  user:
    name: Coder
    email: coder@example.org
limits:
  turn_timeout: 90m
  watchdog: 2h`;
    assert.deepEqual(valuesOf(text), [
      ['provider', 'claude', 'coder.md:2'],
      ['model', 'opus', 'coder.md:3'],
      ['variant', 'high', 'coder.md:4'],
      ['bottle', 'node', 'coder.md:5'],
      ['git.user.name', 'Coder', 'coder.md:8'],
      ['git.user.email', 'coder@example.org', 'coder.md:9'],
      ['limits.turn_timeout', '90m', 'coder.md:11'],
      ['limits.watchdog', '2h', 'coder.md:12'],
    ]);
  });

  it('has all of its providers, and defaults that come from no line', () => {
    assert.deepEqual(valuesOf('provider: [claude, codex]'), [
      ['provider', ['claude', 'codex'], 'coder.md:2'],
      ['model', null],
      ['variant', null],
      ['bottle', 'default'],
      ['git.user.name', 'bot-bottle coder'],
      ['git.user.email', 'coder@bot-bottle.invalid'],
      ['limits.turn_timeout', null],
      ['limits.watchdog', null],
    ]);
  });
});

describe('where a route stands', () => {
  it('is in each document that has one of its name, whatever else they have', () => {
    const documents = [LOW, 'image: x', HIGH].map((text, index) => documentOf(text, `${String(index)}.md`));
    assert.deepEqual(linesOfRoute(documents, 'api'), ['0.md:6', '2.md:9']);
    assert.deepEqual(placesOfRoute(documents, 'other'), [{ file: '2.md', line: 7 }]);
    assert.deepEqual(linesOfRoute(documents, 'https://a.example'), [], 'a name, no other value');
  });

  it('is nowhere in what is no list of routes', () => {
    for (const text of ['routes: api', 'routes: { name: api }', 'routes: [api, [name, api]]'])
      assert.deepEqual(linesOfRoute([documentOf(text)], 'api'), [], text);
  });
});
