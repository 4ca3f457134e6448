import assert from 'node:assert/strict';
import { isStuck, noteStuck } from '../../../../src/activities/publish/publish-stuck.js';
import { HostWorld, SLUG } from '../../../support/host/host-world.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('a STUCK.md', () => {
  const path = useTempDir();

  it('says that the agent is stuck when it is new, or other than a turn before has left it', async () => {
    const { ports } = await HostWorld.open(path('home'));
    assert.equal(await isStuck(ports, SLUG, null), false);
    assert.equal(await isStuck(ports, SLUG, 'a'), true);
    await noteStuck(ports, SLUG, 'a');
    assert.equal(await isStuck(ports, SLUG, 'a'), false);
    assert.equal(await isStuck(ports, SLUG, 'b'), true);
    await noteStuck(ports, SLUG, null);
    assert.equal(await isStuck(ports, SLUG, 'a'), true);
  });
});
