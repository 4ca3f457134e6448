import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  BUILT_IN_MANIFESTS,
  ManifestDirectory,
} from '../../../../src/adapters/manifests/manifest-directory.js';
import { manifestLibrary } from '../../../../src/wiring/manifest-library.js';
import { READY_WORLD } from '../../../support/manifests/agents.js';

describe('the examples of manifests', () => {
  for (const home of [BUILT_IN_MANIFESTS, join(BUILT_IN_MANIFESTS, 'examples')])
    for (const kind of ['agents', 'bottles'] as const)
      it(`have no problem: ${kind} of ${home.slice(home.lastIndexOf('manifests'))}`, async () => {
        const library = manifestLibrary(new ManifestDirectory(home), READY_WORLD);
        const names = (await library.list(kind)).map(({ name }) => name);
        assert.ok(names.length > 0);
        for (const name of names) {
          const findings = await library.check(kind, name);
          assert.deepEqual(
            findings?.filter(({ level }) => level === 'problem'),
            [],
            name,
          );
        }
        assert.deepEqual(await library.misnamed(kind), []);
      });
});
