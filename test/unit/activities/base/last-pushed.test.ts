import assert from 'node:assert/strict';
import { keepPushed, lastPushed } from '../../../../src/activities/base/last-pushed.js';
import { HEAD, HostWorld, SLUG } from '../../../support/host/host-world.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('what was pushed last', () => {
  const path = useTempDir();

  it('is kept with the run, and is nothing before', async () => {
    const { ports } = await HostWorld.open(path('home'));
    assert.equal(await lastPushed(ports, SLUG), null);
    await keepPushed(ports, SLUG, HEAD);
    assert.equal(await lastPushed(ports, SLUG), HEAD);
    await ports.files.saveFile(SLUG, 'published', `${HEAD}\n`);
    assert.equal(await lastPushed(ports, SLUG), HEAD, 'with a line’s end after it');
  });
});
