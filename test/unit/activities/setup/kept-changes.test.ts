import assert from 'node:assert/strict';
import { keepChanges, keptChanges } from '../../../../src/activities/setup/kept-changes.js';
import { SLUG, useHostWorld } from '../../../support/host/host-world.js';

describe('what operators agreed to, as the host has it', () => {
  const world = useHostWorld();

  it('is nothing before there is anything', async () => {
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
    await keepChanges(world.ports.files, SLUG, []);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
    assert.equal(await world.ports.files.readFile(SLUG, 'changes.json'), undefined);
  });

  it('is what the run says last, in its order, and nothing else', async () => {
    await keepChanges(world.ports.files, SLUG, ['a', 'b']);
    await keepChanges(world.ports.files, SLUG, ['a', 'c']);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), ['a', 'c']);
    await keepChanges(world.ports.files, SLUG, []);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
  });
});
