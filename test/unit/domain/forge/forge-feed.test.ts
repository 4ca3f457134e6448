import assert from 'node:assert/strict';
import { feedSources, sourceName } from '../../../../src/domain/forge/forge-feed.js';

const lists = (...patterns: string[]): string[] => feedSources(patterns).map(sourceName).sort();

describe('the lists that cover FORGE_REPOS', () => {
  it('are one for each repository that is named, and one for an owner', () => {
    assert.deepEqual(lists('alice/demo', 'alice/other'), ['alice/demo', 'alice/other']);
    assert.deepEqual(lists('acme/*', 'alice/demo'), ['acme/*', 'alice/demo']);
  });

  it('are the fewest: what a pattern covers is not asked for again', () => {
    assert.deepEqual(lists('acme/*', 'Acme/demo', 'acme/other'), ['acme/*']);
    assert.deepEqual(lists('*', 'acme/*', 'alice/demo'), ['*']);
    assert.deepEqual(lists('ACME/*', 'bob/demo'), ['acme/*', 'bob/demo']);
  });
});
