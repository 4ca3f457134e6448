/** A host as the sweeper finds it, without engine and Temporal: files and marks are real, the engine's things are a list. */
import assert from 'node:assert/strict';
import type { SweepPorts } from '../../../src/activities/sweep/carry-out.js';
import type {
  BottleRuntime,
  ContainerState,
  OwnedObject,
} from '../../../src/domain/bottle/bottle-runtime.js';
import type { RunState, RunStates } from '../../../src/domain/run/run-states.js';
import { HostWorld, SLUG } from '../host/host-world.js';
import { useNewPaths } from '../webhook/temp-dir.js';

export const NOW = Date.parse('2026-11-23T10:00:00.000Z');
/** Older than what may just be beginning. */
export const OLD = '2026-11-23T09:00:00.000Z';
export const WORKFLOW = 'gitea:alice/demo#12';

export function object(role: string, more: Partial<OwnedObject> = {}): OwnedObject {
  const type = role === 'home' || role === 'sock' ? 'volume' : 'container';
  return { type, name: `bb-${SLUG}-${role}`, slug: SLUG, role, running: false, createdAt: OLD, ...more };
}

/** Opened anew for each test of the suite. */
export function useSweptHost(): SweptHost {
  const newPath = useNewPaths();
  const host = new SweptHost();
  beforeEach(() => host.open(newPath()));
  return host;
}

export class SweptHost {
  objects: OwnedObject[] = [];
  readonly pinned = new Set<string>();
  /** What Temporal says, by the workflow's id; `gone` otherwise. */
  readonly workflows = new Map<string, RunState>();
  claimedBy: RunStates['claimedBy'] = () => Promise.resolve(undefined);
  readonly watched = new Set<string>();
  /** Findings of the sweep before. */
  found: readonly string[] = [];
  /** Workflows that were asked to put a run's containers away. */
  readonly archived: string[] = [];
  scratch = 0;

  readonly world = new HostWorld();
  ports!: SweepPorts;

  /** As a new one. @param home of its own, which is not there yet */
  async open(home: string): Promise<void> {
    Object.assign(this, new SweptHost());
    await this.world.open(home);
    this.ports = portsOf(this);
  }

  get names(): readonly string[] {
    return this.objects.map(({ name }) => name);
  }
}

function portsOf(swept: SweptHost): SweepPorts {
  const { world } = swept;
  return {
    ...world.ports,
    runtime: { ...world.ports.runtime, ...engineOf(swept) },
    git: { ...world.ports.git, removeLeftBehind: () => Promise.resolve(swept.scratch) },
    channel: {
      ...world.ports.channel,
      tell: async (workflowId, { kind, slug }) => {
        assert.equal(kind, 'archive');
        swept.archived.push(`${workflowId} ${slug}`);
      },
    },
    clock: { now: () => NOW },
    runStates: {
      of: (id) => Promise.resolve(swept.workflows.get(id) ?? { kind: 'gone' }),
      claimedBy: (slug) => swept.claimedBy(slug),
    },
    archiveAfterMs: null,
    sweeps: {
      load: () => Promise.resolve(swept.found),
      save: (findings) => {
        swept.found = findings;
        return Promise.resolve();
      },
    },
    isWatched: (slug) => swept.watched.has(slug),
  };
}

type Engine = Pick<
  BottleRuntime,
  'list' | 'inspect' | 'remove' | 'removeObject' | 'removeVolumes' | 'pinnedRuns'
> &
  Pick<BottleRuntime, 'unpinImage'>;

function engineOf(swept: SweptHost): Engine {
  const drop = (isMeant: (one: OwnedObject) => boolean): Promise<void> => {
    swept.objects = swept.objects.filter((one) => !isMeant(one));
    return Promise.resolve();
  };
  return {
    list: (slug) => Promise.resolve(swept.objects.filter((one) => slug === undefined || one.slug === slug)),
    inspect: (slug, role) => {
      const one = swept.objects.find((found) => found.slug === slug && found.role === role);
      if (one === undefined) return Promise.resolve(undefined);
      const state = swept.world.containers[role] ?? {};
      const status = one.running ? 'running' : 'exited';
      return Promise.resolve({ startedAt: OLD, finishedAt: OLD, status, ...state } as ContainerState);
    },
    remove: (slug, role) => drop((one) => one.slug === slug && one.role === role),
    removeObject: ({ name }) => drop((one) => one.name === name),
    removeVolumes: (slug) => drop((one) => one.slug === slug && one.type === 'volume'),
    pinnedRuns: () => Promise.resolve([...swept.pinned]),
    unpinImage: (slug) => {
      swept.pinned.delete(slug);
      return Promise.resolve();
    },
  };
}
