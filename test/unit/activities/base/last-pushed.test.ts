import assert from 'node:assert/strict';
import { keepPushed, lastPushed } from '../../../../src/activities/base/last-pushed.js';
import { HEAD, SLUG, useHostWorld } from '../../../support/host/host-world.js';

describe('what was pushed last', () => {
  const world = useHostWorld();

  it('is kept with the run, and is nothing before', async () => {
    const { ports } = world;
    assert.equal(await lastPushed(ports, SLUG), null);
    await keepPushed(ports, SLUG, HEAD);
    assert.equal(await lastPushed(ports, SLUG), HEAD);
    await ports.files.saveFile(SLUG, 'published', `${HEAD}\n`);
    assert.equal(await lastPushed(ports, SLUG), HEAD, 'with a line’s end after it');
  });
});
