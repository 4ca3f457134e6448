import assert from 'node:assert/strict';
import { readAgentManifest } from '../../../../src/domain/manifest/manifest-agent.js';
import { lineOfKey } from '../../../../src/domain/manifest/manifest-document.js';
import { ManifestError } from '../../../../src/domain/manifest/manifest-reader.js';
import { documentOf, layerOf, problemsOf } from '../../../support/manifests/front-matter.js';

describe('what is wrong with a manifest', () => {
  for (const [yaml, ...problems] of [
    ['image: 3', '2: "image" must be text'],
    ['image: { a: b }', '2: "image" must be text'],
    ['resources: { cpus: "2" }', '2: "resources.cpus" must be a number'],
    ['resources: { cpus: [2] }', '2: "resources.cpus" must be a number'],
    ['workspace: { lfs: "yes" }', '2: "workspace.lfs" must be true or false'],
    ['extends: [a, 1]', '2: "extends" must be a list of texts'],
    ['extends: [{ a: b }]', '2: "extends" must be a list of texts'],
    ['env: [A]', '2: "env" must be a map'],
    ['env: { A: null }', '2: "env.A" must be a text'],
    ['env: { A: [b] }', '2: "env.A" must be a text'],
    ['env: { FORGE_X: b }', '2: "env.FORGE_X" is reserved'],
    ['routes: { a: b }', '2: "routes" must be a list of maps'],
    ['routes:\n  - x', '3: "routes[0]" must be a map'],
    [
      'image: x\nimages: y\npublish:\n  bas: z',
      /^3: unknown key "images"; known here: /,
      /^5: unknown key "publish\.bas"/,
    ],
  ] as const)
    it(`is said with its line and its whole key: ${yaml.replaceAll('\n', ' / ')}`, () => {
      const told = problemsOf(() => layerOf(yaml));
      assert.equal(told.length, problems.length, told.join('\n'));
      for (const [index, problem] of problems.entries())
        if (typeof problem === 'string') assert.equal(told[index], problem);
        else assert.match(told[index] ?? '', problem);
    });

  it('is all told up to fifty, then counted', () => {
    const messageOf = (count: number): string[] =>
      new ManifestError(
        'x.md',
        Array.from({ length: count }, (_, index) => ({ line: index + 1, message: 'no' })),
      ).message.split('\n');
    assert.deepEqual([messageOf(50).length, messageOf(50).at(-1)], [50, 'x.md:50: no']);
    assert.deepEqual(messageOf(53).slice(49), ['x.md:50: no', 'x.md: 3 more']);
  });

  it('quotes the first eighty characters of a text', () => {
    const quotes = (length: number): string =>
      problemsOf(() => layerOf(`egress: { allow: ["${'_'.repeat(length)}"] }`)).join();
    assert.ok(quotes(80).includes(`has "${'_'.repeat(80)}", which`));
    assert.ok(quotes(81).includes(`has "${'_'.repeat(80)}…", which`));
  });
});

describe('a variable in a manifest', () => {
  it('is the text that stands there, also when that looks like a number', () => {
    const { env } = layerOf('env: { A: 3.10, B: true, C: "", D: x }');
    assert.deepEqual(env, { A: '3.10', B: 'true', C: '', D: 'x' });
  });
});

describe('the limits of an agent', () => {
  const limits = (yaml: string) => () =>
    readAgentManifest(documentOf(`provider: x\nlimits: { ${yaml} }`)).limits;

  it('are durations, as long as a turn or a week may be', () => {
    assert.deepEqual(limits('turn_timeout: 23h, watchdog: 7d')(), {
      turnTimeoutMs: 23 * 3_600_000,
      watchdogMs: 7 * 24 * 3_600_000,
    });
    assert.deepEqual(limits('turn_timeout: 1s, watchdog: 1s')(), { turnTimeoutMs: 1_000, watchdogMs: 1_000 });
  });

  for (const [yaml, range] of [
    ['turn_timeout: 24h', '1s to 23h'],
    ['turn_timeout: 999ms', '1s to 23h'],
    ['turn_timeout: soon', '1s to 23h'],
    ['watchdog: 8d', '1s to 7d'],
  ] as const)
    it(`are refused with the range they may have: ${yaml}`, () => {
      const [key = ''] = yaml.split(':');
      assert.deepEqual(problemsOf(limits(yaml)), [
        `3: "limits.${key}" must be a duration from ${range}, such as 45m`,
      ]);
    });
});

describe('the line of a key', () => {
  const document = documentOf('image: x\npublish:\n  drafts: true\n  base: main\nsetup: y');

  for (const [path, line] of [
    ['image', 2],
    ['publish', 3],
    ['publish.base', 5],
    ['setup', 6],
    ['publish.allow_paths', undefined],
    ['image.base', undefined],
    ['base', undefined],
  ] as const)
    it(`of ${path} is ${line === undefined ? 'not there' : String(line)}`, () => {
      assert.equal(lineOfKey(document, path.split('.')), line);
    });
});
