/** A host on which turns begin, run and end: the engine is a list of containers, the agent is what a test says; queue and files are real. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import { TurnSlots } from '../../../src/activities/ports/turn-slots.js';
import { BottleRuntimeError } from '../../../src/domain/base/errors.js';
import type {
  AgentContainerSpec,
  BottleRuntime,
  BundleContainerSpec,
  ContainerRole,
  ContainerState,
  LogLine,
  OwnedObject,
} from '../../../src/domain/bottle/bottle-runtime.js';
import type { QueueAnswer, QueueBody } from '../../../src/domain/run/queue.js';
import type { HostEvent, RunChannel } from '../../../src/domain/run/run-channel.js';
import { HostWorld, SLUG } from '../host/host-world.js';

export const NOW = Date.parse('2026-11-23T10:00:00.000Z');
const NEVER = '0001-01-01T00:00:00Z';
export const IMAGE_ID = `sha256:${'9'.repeat(64)}`;

export class TurnWorld {
  readonly containers = new Map<ContainerRole, ContainerState>();
  readonly specs: (AgentContainerSpec | BundleContainerSpec)[] = [];
  volumes: OwnedObject[] = [];
  /** What the agent prints. */
  printed: LogLine[] = [];
  mayHaveGap = false;
  /** Images under the names that are pinned, and OCI runtimes. */
  readonly pinned: string[] = [];
  runtimes: readonly string[] = [];
  /** Of the engine, when it is asked for this; `start agent`. */
  fault: (what: string) => Error | undefined = () => undefined;
  /** What the run's workflow was told. */
  readonly told: HostEvent[] = [];
  channel: Partial<RunChannel> = {};
  readonly ports: HostPorts;
  readonly #waiting = new Map<ContainerRole, Set<() => void>>();
  #messages = 0;

  private constructor(readonly host: HostWorld) {
    this.ports = portsOf(this);
  }

  /** @param home of its own, which is not there yet */
  static async open(home: string): Promise<TurnWorld> {
    return new TurnWorld(await new HostWorld().open(home));
  }

  get asked(): readonly string[] {
    return this.host.asked;
  }

  put(role: ContainerRole, changes: Partial<ContainerState> = {}): ContainerState {
    const state: ContainerState = {
      ...{ id: role, imageId: IMAGE_ID, status: 'created' },
      ...{ startedAt: NEVER, finishedAt: NEVER, exitCode: 0, oomKilled: false },
      ...this.containers.get(role),
      ...changes,
    };
    this.containers.set(role, state);
    return state;
  }

  /** The container's process ends. */
  exit(role: ContainerRole, exitCode = 0): void {
    this.put(role, { status: 'exited', exitCode, finishedAt: new Date().toISOString() });
    this.#wake(role);
  }

  /** Somebody removes it. */
  lose(role: ContainerRole): void {
    this.containers.delete(role);
    this.#wake(role);
  }

  print(text: string, stream: LogLine['stream'] = 'stdout'): void {
    const at = `2026-11-23T10:00:${String(this.printed.length).padStart(2, '0')}.000000000Z`;
    this.printed.push({ stream, at, text });
    this.#wake('agent');
  }

  /** Resolves when something happens to the container. */
  change(role: ContainerRole, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(role) ?? new Set();
      this.#waiting.set(role, waiting);
      waiting.add(resolve);
      const abort = (): void => {
        waiting.delete(resolve);
        reject(new DOMException('aborted', 'AbortError'));
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  #wake(role: ContainerRole): void {
    for (const resolve of this.#waiting.get(role) ?? []) resolve();
    this.#waiting.delete(role);
  }

  /** A message of the sidecar. Answers its id. */
  send(body: QueueBody): string {
    this.#messages += 1;
    const id = `message${String(this.#messages)}`;
    const name = `${String(this.#messages).padStart(12, '0')}-${id}.json`;
    // Whole at once, as the sidecar does it: nobody reads half of it.
    const { root, queueOut } = this.ports.files.paths(SLUG);
    writeFileSync(join(root, name), JSON.stringify(body));
    renameSync(join(root, name), join(queueOut, name));
    return id;
  }

  /** What it was answered; `undefined` for nothing yet. */
  answer(id: string): QueueAnswer['result'] | undefined {
    try {
      const text = readFileSync(join(this.ports.files.paths(SLUG).queueIn, `${id}.json`), 'utf8');
      return (JSON.parse(text) as QueueAnswer).result;
    } catch {
      return undefined;
    }
  }

  toldOf<K extends HostEvent['kind']>(kind: K): readonly Extract<HostEvent, { readonly kind: K }>[] {
    return this.told.filter((one): one is Extract<HostEvent, { readonly kind: K }> => one.kind === kind);
  }
}

function portsOf(world: TurnWorld): HostPorts {
  const { host } = world;
  const refused = { kind: 'refused', reason: 'nobody is asked' } as const;
  const channel: RunChannel = {
    tell: (id, event) => world.channel.tell?.(id, event) ?? Promise.resolve(void world.told.push(event)),
    isCurrent: () => Promise.resolve(true),
    openPr: (...of) => world.channel.openPr?.(...of) ?? Promise.resolve(refused),
    propose: (...of) =>
      world.channel.propose?.(...of) ?? Promise.resolve({ outcome: () => Promise.resolve(refused) }),
  };
  const ports: HostPorts = {
    ...host.ports,
    channel,
    // Read each time, so that a test may mock it.
    clock: { now: () => Date.now() },
    runtime: { ...host.ports.runtime, ...engineOf(world) },
    git: { ...host.ports.git, writeRefsBundle: () => Promise.resolve() },
    slots: new TurnSlots(1, () => Promise.resolve([])),
  };
  ports.disk.look = () => Promise.resolve({ bytes: 0, inodes: 0 });
  ports.disk.watch = () => () => null;
  return ports;
}

function engineOf(world: TurnWorld): Partial<BottleRuntime> {
  const ask = (what: string): void => {
    world.host.asked.push(what);
    const error = world.fault(what);
    if (error !== undefined) throw error;
  };
  const there = (role: ContainerRole): ContainerState => {
    const state = world.containers.get(role);
    if (state === undefined) throw new BottleRuntimeError(`no such container: ${role}`, true);
    return state;
  };
  const create = async (role: ContainerRole, spec: AgentContainerSpec | BundleContainerSpec) => {
    await Promise.resolve();
    ask(`create ${role}`);
    world.specs.push(spec);
    return world.containers.get(role) ?? world.put(role, { imageId: spec.image });
  };
  return {
    createBundle: (spec) => create('bundle', spec),
    createAgent: (spec) => create('agent', spec),
    inspect: async (_slug, role) => {
      await Promise.resolve();
      const error = world.fault(`inspect ${role}`);
      if (error !== undefined) throw error;
      return world.containers.get(role);
    },
    start: async (_slug, role) => {
      await Promise.resolve();
      ask(`start ${role}`);
      there(role);
      return world.put(role, { status: 'running', startedAt: new Date().toISOString() });
    },
    stop: async (_slug, role, grace) => {
      await Promise.resolve();
      ask(`stop ${role} ${String(grace)}`);
      if (world.containers.get(role)?.status === 'running') world.exit(role, 137);
    },
    remove: async (_slug, role) => {
      await Promise.resolve();
      ask(`remove ${role}`);
      world.lose(role);
    },
    removeVolumes: async () => {
      await Promise.resolve();
      ask('remove volumes');
    },
    list: () => Promise.resolve(world.volumes),
    waitForExit: async (_slug, role, signal) => {
      for (;;) {
        await Promise.resolve();
        const error = world.fault(`wait ${role}`);
        if (error !== undefined) throw error;
        const { status, exitCode } = there(role);
        if (status !== 'running') return exitCode;
        await world.change(role, signal);
      }
    },
    followLogs: async (_slug, role, since, signal, onLine, onCaughtUp) => {
      await Promise.resolve();
      ask(`follow ${since.stdout ?? 'all'} ${since.stderr ?? 'all'}`);
      const seen = { ...since };
      for (;;) {
        for (const line of world.printed.filter(({ at, stream }) => at > (seen[stream] ?? ''))) {
          seen[line.stream] = line.at;
          onLine(line);
        }
        onCaughtUp?.();
        const error = world.fault(`follow on`);
        if (error !== undefined) throw error;
        if (there(role).status !== 'running') return { mayHaveGap: world.mayHaveGap };
        await world.change(role, signal);
      }
    },
    pinImage: async (_slug, image) => {
      await Promise.resolve();
      ask(`pin ${image}`);
      world.pinned.push(image);
      return image.startsWith('sha256:') ? image : IMAGE_ID;
    },
    knowsRuntime: (name) => Promise.resolve(world.runtimes.includes(name)),
  };
}
