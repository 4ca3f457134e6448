import assert from 'node:assert/strict';
import { turnOfBottle } from '../../../../src/activities/base/turn-of-bottle.js';
import { LocalBlobStore } from '../../../../src/adapters/files/blob-store.js';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import type { TurnBottle } from '../../../../src/domain/bottle/bottle-setup.js';
import type { BottleManifest } from '../../../../src/domain/manifest/manifests.js';
import { sampleBottle } from '../../../support/manifests/samples.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('what every turn of a bottle has', () => {
  const newPath = useNewPaths();
  let blobs: LocalBlobStore;
  beforeEach(() => {
    blobs = new LocalBlobStore(newPath());
  });

  const turnOf = (changes: Partial<BottleManifest> = {}): ReturnType<typeof turnOfBottle> =>
    turnOfBottle({ blobs, provider: agentProvider }, sampleBottle(changes), {
      ...{ provider: 'claude', prompt: 'Mend the door.', readers: ['alice'] },
    });

  it('is its texts as blobs: the prompt, and what its host sets up', async () => {
    const { promptRef, bottleRef, provider } = await turnOf({ dockerfile: 'FROM x' });
    assert.deepEqual([provider, await blobs.getText(promptRef)], ['claude', 'Mend the door.']);
    const { dockerfile, readers } = JSON.parse(await blobs.getText(bottleRef)) as TurnBottle;
    assert.deepEqual([dockerfile, readers], ['FROM x', ['alice']]);
  });

  it('is its image, or its provider’s where it names none', async () => {
    assert.equal((await turnOf({ image: 'mine:1' })).image, 'mine:1');
    assert.equal((await turnOf({ image: null })).image, agentProvider('claude').image);
  });

  it('is what it says of the disk, either of the two, and nothing where it says neither', async () => {
    for (const disk of [
      { bytes: 1, inodes: null },
      { bytes: null, inodes: 1 },
    ])
      assert.deepEqual((await turnOf({ disk })).disk, disk);
    assert.ok(!('disk' in (await turnOf({ disk: { bytes: null, inodes: null } }))));
  });
});
