import { IMAGE } from '../../../support/supervise/shown.js';
import assert from 'node:assert/strict';
import { currentConfig, secretNeeds } from '../../../../src/activities/setup/current-config.js';
import { parseAllowlist, formatAllowEntry } from '../../../../src/domain/egress/allowlist.js';
import { parseRoutes } from '../../../../src/domain/egress/routes.js';
import type { BottleSetup } from '../../../../src/domain/bottle/bottle-setup.js';
import { WHOLE_REPOSITORY } from '../../../../src/domain/bottle/bottle-setup.js';
import { routeTo } from '../../../support/egress/egress-here.js';

const auth = { header: 'x-api-key', prefix: '', secret: 'key' };
const setup: BottleSetup = {
  dockerfile: 'FROM x\n',
  allow: ['a.org', '*.b.org:80'],
  routes: [
    routeTo('https://a.example', { auth }),
    routeTo('http://[fd00::1]:8080/v1', { name: 'other', auth }),
    routeTo('https://c.example', { name: 'open' }),
  ],
  registries: [],
  setup: null,
  workspace: WHOLE_REPOSITORY,
  runtime: null,
};

describe('what a bottle is shown, and what its secrets are for', () => {
  it('is read by the sidecar as the manifest said it', () => {
    const files = currentConfig(setup, { id: IMAGE, dockerfile: 'FROM x\n', steps: ['RUN make'] });
    assert.deepEqual(parseAllowlist(files['allowlist'] ?? '').entries.map(formatAllowEntry), setup.allow);
    assert.deepEqual(parseRoutes(files['routes.json'] ?? ''), { kind: 'routes', routes: setup.routes });
    assert.match(
      files['Dockerfile'] ?? '',
      new RegExp(`^#  {2}FROM x\\n(#.*\\n)*#  {2}RUN make\\nFROM ${IMAGE}\\n$`, 'm'),
    );
    assert.equal('Dockerfile' in currentConfig(setup, null), false);
  });

  it('names each secret with every upstream that gets it', () => {
    const of = (vendorRoute: string | null): unknown => secretNeeds({ ...setup, vendorRoute });
    assert.deepEqual(of(null), [
      { name: 'key', authority: 'a.example:443', isVendors: false },
      { name: 'key', authority: '[fd00::1]:8080', isVendors: false },
    ]);
    assert.deepEqual(of('other'), [
      { name: 'key', authority: 'a.example:443', isVendors: false },
      { name: 'key', authority: '[fd00::1]:8080', isVendors: true },
    ]);
  });
});
