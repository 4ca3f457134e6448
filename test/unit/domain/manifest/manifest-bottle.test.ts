import assert from 'node:assert/strict';
import { layerOf, problemsOf } from '../../../support/manifests/front-matter.js';

describe('the manifest of a bottle', () => {
  for (const [wake, forgeWake, checksWake] of [
    ['org', 'org', undefined],
    ['[checks]', undefined, true],
    ['no-checks', undefined, false],
    ['[no-checks, anyone]', 'anyone', false],
    ['[collaborators, checks]', 'collaborators', true],
    ['[]', undefined, undefined],
  ] as const)
    it(`lets wake its agent whom it names: ${wake}`, () => {
      const layer = layerOf(`forge_wake: ${wake}`);
      assert.deepEqual([layer.forgeWake, layer.checksWake], [forgeWake, checksWake]);
    });

  for (const [wake, words] of [
    ['[org, anyone]', 'org, anyone'],
    ['[checks, no-checks]', 'checks, no-checks'],
  ] as const)
    it(`cannot say both of what excludes each other: ${wake}`, () => {
      assert.deepEqual(
        problemsOf(() => layerOf(`forge_wake: ${wake}`)),
        [`2: "forge_wake" has "${words}", which exclude each other`],
      );
    });

  it('leaves open what it does not say of the workspace', () => {
    assert.deepEqual(layerOf('image: x').workspace, {});
    assert.deepEqual(layerOf('workspace: { depth: 3 }').workspace, { depth: 3 });
    assert.deepEqual(layerOf('workspace: { lfs: false }').workspace, { lfs: false });
  });

  it('may ask for all of the history where a bottle that it extends asked for less', () => {
    assert.deepEqual(layerOf('workspace: { depth: 0 }').workspace, { depth: null });
    for (const depth of ['-1', '1000001', '1.5'])
      assert.equal(problemsOf(() => layerOf(`workspace: { depth: ${depth} }`)).length, 1, depth);
  });

  it('may write the directories to check out with a slash at their end', () => {
    const { sparse } = layerOf('workspace: { sparse: [src/app/, docs] }').workspace;
    assert.deepEqual(sparse, ['src/app', 'docs']);
  });

  it('lets the agent read everybody’s texts, or those of people who may wake it, and says nothing else', () => {
    assert.equal(layerOf('forge_read: all').forgeRead, 'all');
    assert.equal(layerOf('forge_read: allowed').forgeRead, 'allowed');
    assert.deepEqual(
      problemsOf(() => layerOf('forge_read: none')),
      ['2: "forge_read" must be one of all, allowed'],
    );
  });

  it('names a host in any case, each once', () => {
    assert.deepEqual(layerOf('egress: { allow: [A.Example, a.example, b.example] }').allow, [
      'a.example',
      'b.example',
    ]);
  });

  it('lets nobody have a host below what many share', () => {
    assert.deepEqual(
      problemsOf(() => layerOf('egress: { allow: ["*.github.io"] }')),
      ['2: "egress.allow" has "*.github.io", below which anybody may have a host: name the hosts'],
    );
    assert.deepEqual(layerOf('egress: { allow: ["*.a.github.io", github.io] }').allow, [
      '*.a.github.io',
      'github.io',
    ]);
  });

  it('names no vendor of models, which is reached through a route only', () => {
    assert.deepEqual(
      problemsOf(() => layerOf('egress: { allow: [api.openai.com, "*.openai.com"] }')),
      [
        '2: "egress.allow" has "api.openai.com", which leads to a vendor of models, which is reached through a route only',
      ],
    );
  });

  it('has an image or a Dockerfile, not both', () => {
    assert.deepEqual(
      problemsOf(() => layerOf('image: x\ndockerfile: y')),
      ['3: "dockerfile" cannot be combined with "image": remove one'],
    );
  });
});
