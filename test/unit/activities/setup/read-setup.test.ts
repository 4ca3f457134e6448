import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { readSetup, type TurnSetup } from '../../../../src/activities/setup/read-setup.js';
import type { AgentProvider, ModelAccess } from '../../../../src/domain/agent/agent-provider.js';
import type { ConfigChange } from '../../../../src/domain/supervise/config-change.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { BottleManifest } from '../../../../src/domain/manifest/manifests.js';
import { sampleHostSettings } from '../../../support/host/sample-host.js';
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

const ACCESS: ModelAccess = {
  route: 'anthropic',
  upstream: 'https://api.anthropic.com',
  methods: ['POST'],
  paths: ['/v1/messages', '/v1/messages/count_tokens'],
  rule: { api: 'anthropic-messages', models: ['claude-*'], maxOutputTokens: 128_000, allow: [] },
  credentials: [
    { secret: 'anthropic-api-key', header: 'x-api-key', prefix: '', keyEnv: 'ANTHROPIC_API_KEY' },
    { secret: 'claude-token', header: 'authorization', prefix: 'Bearer ', keyEnv: 'ANTHROPIC_AUTH_TOKEN' },
  ],
  baseUrlEnv: 'ANTHROPIC_BASE_URL',
};

interface Host {
  readonly access?: ModelAccess | null;
  readonly model?: string | null;
  readonly secrets?: readonly string[];
  readonly upstreams?: Readonly<Record<string, string>>;
  /** What operators agreed to. */
  readonly changes?: readonly ConfigChange[];
}

function setupOf(bottle: Partial<BottleManifest>, host: Host = {}): Promise<TurnSetup> {
  const { access = null, model = null, secrets = [], upstreams = {}, changes = [] } = host;
  const blobs = new Map([['ref', JSON.stringify(sampleBottle(bottle))]]);
  for (const [index, change] of changes.entries())
    blobs.set(`change-${String(index)}`, JSON.stringify({ change }));
  const kept = changes.map((_, index) => `change-${String(index)}`);
  const registries = {
    ...{ npm: ['https://npm.example/base'], pypi: null },
    ...{ go: null, cargo: null, maven: null },
  };
  const ports = {
    blobs: { getText: (ref: string) => Promise.resolve(blobs.get(ref)) },
    files: { readFile: () => Promise.resolve(new TextEncoder().encode(JSON.stringify(kept))) },
    settings: sampleHostSettings({
      registries,
      models: { upstreams, maxOutputTokens: 64_000, prices: '' },
    }),
    provider: (): Partial<AgentProvider> => ({ access: () => access }),
    hasSecret: (name: string) => secrets.includes(name),
  } as unknown as HostPorts;
  const prepared = { bottleRef: 'ref', env: {}, provider: 'p', model };
  return readSetup(ports, { slug: 's', prepared } as unknown as RunTurnInput);
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

describe('the way to an agent’s model', () => {
  const own: Route = { ...ROUTE, name: 'anthropic', upstream: 'https://gateway.example' };

  it('is a route of the provider’s to the vendor, with the first of its keys that is set', async () => {
    const { routes, modelUrl, vendorRoute } = await setupOf(
      {},
      { access: ACCESS, secrets: ['claude-token'], model: 'claude-sonnet-5' },
    );
    assert.deepEqual(routes, [
      {
        name: 'anthropic',
        upstream: 'https://api.anthropic.com',
        methods: ['POST'],
        paths: ['/v1/messages', '/v1/messages/count_tokens'],
        auth: { header: 'authorization', prefix: 'Bearer ', secret: 'claude-token' },
        baseUrlEnv: 'ANTHROPIC_BASE_URL',
        keyEnv: 'ANTHROPIC_AUTH_TOKEN',
        rewrite: false,
        model: { ...ACCESS.rule, maxOutputTokens: 64_000 },
      },
    ]);
    assert.equal(modelUrl, 'http://127.0.0.1:3129/anthropic');
    assert.equal(vendorRoute, 'anthropic');
    const both = await setupOf({}, { access: ACCESS, secrets: ['claude-token', 'anthropic-api-key'] });
    assert.equal(both.routes[0]?.auth?.secret, 'anthropic-api-key');
  });

  it('leads to the address of the settings, where the key must be bound', async () => {
    const upstreams = { anthropic: 'http://10.0.0.7:8080/base' };
    const { routes, vendorRoute } = await setupOf(
      {},
      { access: ACCESS, secrets: ['anthropic-api-key'], upstreams },
    );
    assert.equal(routes[0]?.upstream, 'http://10.0.0.7:8080/base');
    assert.equal(vendorRoute, null);
  });

  it('is the bottle’s own route of that name where it has one', async () => {
    const { routes, modelUrl, vendorRoute } = await setupOf({ routes: [own] }, { access: ACCESS });
    assert.deepEqual(routes, [own]);
    assert.equal(modelUrl, 'http://127.0.0.1:3129/anthropic');
    assert.equal(vendorRoute, null);
  });

  it('needs no key where the provider has none, and allows no more output than either side does', async () => {
    const access = { ...ACCESS, credentials: [], rule: { ...ACCESS.rule, maxOutputTokens: 8_000 } };
    const [route] = (await setupOf({}, { access })).routes;
    assert.deepEqual([route?.auth, route?.keyEnv, route?.model?.maxOutputTokens], [null, null, 8_000]);
  });

  it('is none for a provider without a model', async () => {
    const { routes, modelUrl } = await setupOf({});
    assert.deepEqual([routes, modelUrl], [[], null]);
  });

  for (const [what, bottle, host, why] of [
    [
      'without a key, with the commands that set one',
      {},
      {},
      /^there is no key for the model \(route "anthropic"\): bot-bottle secret set anthropic-api-key < key, or bot-bottle secret set claude-token < key$/,
    ],
    [
      'without a key for another address than the vendor’s, with the host',
      {},
      { upstreams: { anthropic: 'https://gateway.example' } },
      /secret set anthropic-api-key --host gateway\.example:443 < key, or/,
    ],
    [
      'for a model that the bottle’s own route does not let through',
      { routes: [{ ...own, methods: ['POST'], model: { ...ACCESS.rule, models: ['claude-haiku-5'] } }] },
      { model: 'claude-opus-5' },
      /"claude-opus-5" is not among those of the route "anthropic": claude-haiku-5$/,
    ],
  ] as const)
    it(`is refused ${what}`, async () => {
      const refused = setupOf(bottle, { access: ACCESS, ...host });
      await assert.rejects(refused, (error: Error) => {
        assert.ok(error instanceof InvalidInputError);
        assert.match(error.message, why);
        return true;
      });
    });

  it('takes a model with its provider before it, and short names that the CLI knows', async () => {
    const rule = { ...ACCESS.rule, models: ['claude-opus-*'] };
    const routes: Route[] = [{ ...own, methods: ['POST'], model: rule }];
    for (const model of ['anthropic/claude-opus-5', 'opus', null])
      await setupOf({ routes }, { access: ACCESS, model });
    const other = setupOf({ routes }, { access: ACCESS, model: 'anthropic/claude-haiku-5' });
    await assert.rejects(other, /"anthropic\/claude-haiku-5" is not among those/);
  });
});

describe('what operators agreed to', () => {
  const toRoutes = (...set: readonly Route[]): ConfigChange => ({ kind: 'routes', set, remove: [] });

  it('takes effect on the bottle’s rules, one change after the other', async () => {
    const { allow, routes } = await setupOf(
      { allow: ['a.example'], routes: [ROUTE] },
      {
        changes: [
          { kind: 'allowlist', add: ['b.example', 'c.example'], remove: ['a.example'] },
          { kind: 'allowlist', add: [], remove: ['c.example'] },
          toRoutes({ ...ROUTE, name: 'other', baseUrlEnv: null }),
        ],
      },
    );
    assert.deepEqual(allow, ['b.example']);
    assert.deepEqual(
      routes.map(({ name }) => name),
      ['tracker', 'other'],
    );
  });

  it('never is a route that is bot-bottle’s own', async () => {
    const changes = [toRoutes({ ...ROUTE, name: 'npm', upstream: 'https://evil.example' })];
    await assert.rejects(setupOf({ registries: ['npm'] }, { changes }), /route "npm" is bot-bottle's own/);
  });

  it('are routes that the sidecar takes', async () => {
    const changes = [toRoutes({ ...ROUTE, name: 'other' })];
    await assert.rejects(
      setupOf({ routes: [ROUTE] }, { changes }),
      /the changed routes cannot be used: .*TRACKER_URL/,
    );
  });

  it('takes a key that needs no binding nowhere else', async () => {
    const evil = { ...ROUTE, name: 'anthropic', upstream: 'https://evil.example' };
    const host = { access: ACCESS, secrets: ['anthropic-api-key'] };
    assert.equal((await setupOf({}, host)).vendorRoute, 'anthropic');
    await assert.rejects(
      setupOf({}, { ...host, changes: [toRoutes(evil)] }),
      /route "anthropic" is bot-bottle's own/,
    );
  });
});
