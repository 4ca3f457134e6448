import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/host-ports.js';
import type { RunTurnInput } from '../../../../src/activities/inputs.js';
import { readSetup, type TurnSetup } from '../../../../src/activities/turn/read-setup.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import type { BottleManifest } from '../../../../src/domain/manifests.js';
import { sampleBottle } from '../../../support/manifests/samples.js';

const ROUTE: Route = {
  name: 'tracker',
  upstream: 'https://tracker.example',
  methods: ['GET'],
  paths: ['/'],
  auth: null,
  baseUrlEnv: 'TRACKER_URL',
  keyEnv: null,
  rewrite: false,
  model: null,
};

function setupOf(bottle: Partial<BottleManifest>): Promise<TurnSetup> {
  const registries = {
    ...{ npm: ['https://npm.example/base'], pypi: null },
    ...{ go: null, cargo: null, maven: null },
  };
  const ports = {
    blobs: { getText: () => Promise.resolve(JSON.stringify(sampleBottle(bottle))) },
    settings: { registries },
  } as unknown as HostPorts;
  return readSetup(ports, { prepared: { bottleRef: 'ref', env: {} } } as unknown as RunTurnInput);
}

describe('what a bottle gets on this host', () => {
  it('is its routes and those to its registries', async () => {
    const { routes, clients } = await setupOf({ routes: [ROUTE], registries: ['npm'] });
    assert.deepEqual(
      routes.map(({ name, upstream }) => [name, upstream]),
      [
        ['tracker', 'https://tracker.example'],
        ['npm', 'https://npm.example/base'],
      ],
    );
    assert.match(clients.env['NPM_CONFIG_REGISTRY'] ?? '', /\/npm\/$/);
  });

  for (const [what, bottle, why] of [
    [
      'a route with the name of a registry',
      { routes: [{ ...ROUTE, name: 'npm' }], registries: ['npm'] },
      /^the bottle has a route "npm" and asks for a registry of that name: rename the route$/,
    ],
    ['a registry that the operator has not named', { registries: ['pypi'] }, /REGISTRY_PYPI/],
    [
      'routes that the sidecar would refuse',
      { routes: [ROUTE, { ...ROUTE, name: 'other' }] },
      /^the bottle's routes cannot be used: routes: two of them have the baseUrlEnv "TRACKER_URL"$/,
    ],
  ] as const)
    it(`is refused with a reason for ${what}`, async () => {
      await assert.rejects(setupOf(bottle), { name: 'InvalidInputError', message: why });
    });
});
