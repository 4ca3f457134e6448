import assert from 'node:assert/strict';
import { WANTED_EVENTS } from '../../../../src/cli/forge-setup/plan-hook.js';
import type { ForgeSetupWorld } from '../../../../src/cli/base/setup-world.js';
import type { AdminTarget, ForgeAdmin, Hook } from '../../../../src/domain/forge/forge-admin.js';
import { watchDeliveries } from '../../../../src/webhook/door/watch-deliveries.js';
import { freePort } from '../../../support/ports/free-port.js';
import { cliWith } from '../small-world.js';

const REPO = { kind: 'repo', owner: 'bot-bottle', repo: 'demo' } as const;

/** Webhooks by the name of their place; somebody presses Ctrl-C while the test delivery is waited for. */
function forge(hooks: Map<string, Hook[]>, interrupt: () => void): Partial<ForgeAdmin> {
  const at = (target: AdminTarget): Hook[] => {
    const name = target.kind === 'org' ? target.org : `${target.owner}/${target.repo}`;
    const found = hooks.get(name) ?? [];
    hooks.set(name, found);
    return found;
  };
  const place = { target: REPO, empty: false, archived: false };
  return {
    listHooks: (target) => Promise.resolve([...at(target)]),
    createHook: (target, spec) => {
      const hook: Hook = {
        ...{ authorization: '', branchFilter: '' },
        ...spec,
        id: at(target).length + 1,
        type: 'gitea',
        active: true,
        contentType: 'json',
      };
      at(target).push(hook);
      return Promise.resolve(hook);
    },
    editHook: (target, hook, change) => {
      const edited = { ...hook, ...change };
      at(target)[at(target).findIndex(({ id }) => id === hook.id)] = edited;
      return Promise.resolve(edited);
    },
    deleteHook: (target, id) => {
      at(target).splice(
        at(target).findIndex((hook) => hook.id === id),
        1,
      );
      return Promise.resolve();
    },
    testHook: () => {
      setImmediate(interrupt);
      return Promise.resolve();
    },
    listLabels: () => Promise.resolve([]),
    inheritedLabels: () => Promise.resolve([]),
    createLabel: () => Promise.resolve(),
    ciFiles: () => Promise.resolve([]),
    repository: () => Promise.resolve(place),
    repositoriesOf: () => Promise.resolve([place]),
  };
}

describe('Ctrl-C while forge setup waits for its test delivery', () => {
  for (const args of [['bot-bottle/demo'], ['--org', 'bot-bottle']])
    it(`leaves the webhooks as they are wanted: ${args.join(' ')}`, async () => {
      const hooks = new Map<string, Hook[]>();
      const ending = new AbortController();
      const listen = { host: '127.0.0.1', port: await freePort() };
      const admin = forge(hooks, () => {
        ending.abort();
      }) as ForgeAdmin;
      const world: ForgeSetupWorld = {
        settings: {
          ...{ forgeApi: 'http://127.0.0.1:9/api/v1', repos: ['*'], publish: 'branch' },
          ...{ publicUrl: 'http://127.0.0.1:9', listen },
        },
        admin: () => admin,
        readAdminToken: () => 'unused',
        serves: () => true,
        manifests: () => Promise.resolve({ agents: [], bottles: [], problems: [] }),
        webhookSecret: () => 'the-secret-0123',
        createWebhookSecret: () => ({ value: '', file: '' }),
        botRights: () => Promise.resolve({ login: 'bot', problems: [] }),
        watchDeliveries: (secret) => watchDeliveries(secret, listen),
      };
      const cli = cliWith({ deps: { forgeSetup: () => world, interrupted: () => ending.signal } });
      const { code, stderr } = await cli.run('forge', 'setup', ...args, '--wait', '1s');
      assert.deepEqual([code, stderr], [130, 'bot-bottle: interrupted: run it again to go on\n']);
      const left = [...hooks.values()].flat();
      assert.deepEqual(
        left.map(({ events }) => events),
        [WANTED_EVENTS],
      );
    });
});
