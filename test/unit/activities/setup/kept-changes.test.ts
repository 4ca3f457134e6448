import assert from 'node:assert/strict';
import { keepChanges, keptChanges } from '../../../../src/activities/setup/kept-changes.js';
import { HostWorld, SLUG } from '../../../support/host/host-world.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('what operators agreed to, as the host has it', () => {
  const newPath = useNewPaths();
  let files: HostWorld['ports']['files'];
  beforeEach(async () => {
    ({ files } = (await HostWorld.open(newPath())).ports);
  });

  it('is nothing before there is anything', async () => {
    assert.deepEqual(await keptChanges(files, SLUG), []);
    await keepChanges(files, SLUG, []);
    assert.deepEqual(await keptChanges(files, SLUG), []);
    assert.equal(await files.readFile(SLUG, 'changes.json'), undefined);
  });

  it('is what the run says last, in its order, and nothing else', async () => {
    await keepChanges(files, SLUG, ['a', 'b']);
    await keepChanges(files, SLUG, ['a', 'c']);
    assert.deepEqual(await keptChanges(files, SLUG), ['a', 'c']);
    await keepChanges(files, SLUG, []);
    assert.deepEqual(await keptChanges(files, SLUG), []);
  });
});
