import assert from 'node:assert/strict';
import type { KnownRepositories, RepositoryMemory } from '../../../../src/domain/forge/known-repositories.js';
import type { Place } from '../../../../src/domain/forge/issue.js';
import { servedPlaces, type ServedPlaces } from '../../../../src/webhook/dispatch/served-places.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const at = (owner: string, repo: string, repoId: number): Place => ({ owner, repo, repoId });

describe('repositories that are served', () => {
  let kept: KnownRepositories;
  let saving: Promise<void>;
  const errors: string[] = [];
  const memory: RepositoryMemory = {
    load: () => kept,
    save: (known) => {
      kept = known;
      return saving;
    },
  };
  const served = (...patterns: string[]): ServedPlaces =>
    servedPlaces(patterns, memory, (message) => errors.push(message));

  beforeEach(() => {
    kept = {};
    saving = Promise.resolve();
    errors.length = 0;
  });

  it('are known by their ids once something came from them, and also after a restart', async () => {
    const places = served('Alice/Demo', 'bob/*');
    assert.ok(!places.serves(at('eve', 'demo', 7)));
    places.saw(at('alice', 'demo', 7));
    await settled();
    assert.ok(places.serves(at('eve', 'demo', 7)));
    assert.ok(!places.serves(at('eve', 'demo', 8)));
    assert.ok(served('alice/demo').serves(at('eve', 'demo', 7)));
  });

  it('are also those that took the name since', async () => {
    const places = served('alice/demo');
    places.saw(at('alice', 'demo', 7));
    places.saw(at('alice', 'demo', 9));
    await settled();
    assert.deepEqual(kept, { 'alice/demo': [7, 9] });
    assert.ok(places.serves(at('alice', 'elsewhere', 7)) && places.serves(at('alice', 'demo', 9)));
  });

  it('are not those that only fit a pattern, nor those that FORGE_REPOS names no longer', async () => {
    const places = served('alice/demo', 'bob/*');
    places.saw(at('bob', 'x', 5));
    places.saw(at('alice', 'demo', 7));
    await settled();
    assert.ok(!places.serves(at('eve', 'x', 5)));
    assert.ok(!served('bob/*').serves(at('eve', 'demo', 7)));
  });

  it('stay known while the file cannot be written, which is said', async () => {
    saving = Promise.reject(new Error('disk full'));
    const places = served('alice/demo');
    places.saw(at('alice', 'demo', 7));
    await settled();
    assert.deepEqual(errors, ['the ids of FORGE_REPOS could not be saved']);
    assert.ok(places.serves(at('eve', 'demo', 7)));
  });
});
