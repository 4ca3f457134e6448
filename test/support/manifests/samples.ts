/** Manifests for tests in which their content is of no account. */
import { WHOLE_REPOSITORY } from '../../../src/domain/bottle/bottle-setup.js';
import type { AgentManifest, BottleManifest } from '../../../src/domain/manifest/manifests.js';

export function sampleAgent(name: string, more: Partial<AgentManifest> = {}): AgentManifest {
  return {
    name,
    providers: ['scripted'],
    model: null,
    variant: null,
    bottle: 'default',
    gitUser: { name: 'C', email: 'c@example.org' },
    limits: { turnTimeoutMs: null, watchdogMs: null },
    prompt: 'You code.',
    ...more,
  };
}

export function sampleBottle(more: Partial<BottleManifest> = {}): BottleManifest {
  return {
    image: null,
    env: {},
    limits: { memoryBytes: 1, cpus: 1, pids: 1 },
    disk: { bytes: null, inodes: null },
    publish: { allowPaths: [], drafts: false, base: null },
    dockerfile: null,
    allow: [],
    routes: [],
    registries: [],
    setup: null,
    workspace: WHOLE_REPOSITORY,
    runtime: null,
    forgeWake: null,
    checksWake: true,
    forgeRead: 'all',
    ...more,
  };
}
