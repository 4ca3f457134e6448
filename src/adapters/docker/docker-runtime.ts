import Docker from 'dockerode';
import { isRecord } from '../../domain/base/is-record.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { OneByOne } from '../../domain/base/one-by-one.js';
import type { BottleRuntime } from '../../domain/bottle/bottle-runtime.js';
import { agentContainer } from './agent-container.js';
import { archivePath, restorePath } from './archive.js';
import { bundleContainer } from './bundle-container.js';
import {
  createOrAdopt,
  inspectOurs,
  removeOurs,
  requireContainer,
  requireHardened,
  stateOf,
} from './containers.js';
import { cpusOf, factsOf, type EngineFacts } from './engine-facts.js';
import { abortError, engineCall } from './errors.js';
import { DOING, buildBottleImage, inspectImage } from './image/image-build.js';
import { pinImage, pinnedRuns, unpinImage } from './image/image-pin.js';
import { listOwned, listRunningAgents } from './inventory.js';
import { followContainerLogs } from './logs/logs.js';
import { containerName, VOLUME_KINDS } from './names-and-labels.js';
import { runOneShot } from './one-shot.js';
import { createVolumes, removeVolumeNamed, removeVolumesOf, requireVolumes } from './volumes.js';
import { waitUntilStopped } from './wait.js';
import { weakObjects, type WeakObject } from './weak-objects.js';

const NOT_MODIFIED = 304;
const NOT_FOUND = 404;
/** Networks that exist on every engine and are not the host's. */
const BUILT_IN_NETWORKS = new Set(['bridge', 'default', 'none']);

export interface DockerRuntimeOptions {
  readonly docker?: Docker;
  /** The worker's host id: what is made carries it, and nothing else is listed. Without one, every host's is. */
  readonly host?: string | null;
}

export interface DockerBottleRuntime extends BottleRuntime {
  /** What `doctor` tells of the engine, and the worker asks at its start. */
  facts(): Promise<EngineFacts>;
  /** What `doctor` tells: containers and volumes of ours that are not as we make them. */
  weakObjects(secrets: Iterable<string>): Promise<WeakObject[]>;
  imageId(image: string): Promise<string | undefined>;
}

/**
 * Bottles on a Docker engine (API 1.41 or newer), reached by dockerode through `DOCKER_HOST` or the usual socket. The
 * user needs the docker group and no other right: nothing here changes an owner on the host.
 */
export function dockerBottleRuntime({
  docker = new Docker(),
  host = null,
}: DockerRuntimeOptions = {}): DockerBottleRuntime {
  const builds = new OneByOne();
  let hostCpus: number | undefined;
  const machine = (): Promise<unknown> =>
    engineCall('ask the engine for its machine', (): Promise<unknown> => docker.info());
  /** Asked once: a machine's number of CPUs stays. */
  const cpus = async (): Promise<number> => (hostCpus ??= cpusOf(await machine()));
  const facts = async (): Promise<EngineFacts> => {
    const { Version: version, ApiVersion: apiVersion } = await engineCall("read the engine's version", () =>
      docker.version(),
    );
    return { version, apiVersion, ...factsOf(await machine()) };
  };
  return {
    facts,
    createBundle: async (spec) => {
      const options = bundleContainer(spec, await cpus());
      await refuseHostNetwork(docker, spec.network);
      await createVolumes(docker, spec.slug, host);
      return createOrAdopt(docker, spec.slug, 'bundle', options, host);
    },
    createAgent: async (spec) => {
      const options = agentContainer(spec, await cpus());
      await requireVolumes(docker, spec.slug, VOLUME_KINDS);
      return createOrAdopt(docker, spec.slug, 'agent', options, host);
    },
    inspect: async (slug, role) => {
      const info = await inspectOurs(docker, containerName(slug, role), slug, role);
      return info === undefined ? undefined : stateOf(info);
    },
    start: async (slug, role) => {
      const info = await requireContainer(docker, slug, role);
      const name = containerName(slug, role);
      requireHardened(info, name);
      await engineCall(`start ${name}`, () => docker.getContainer(info.Id).start(), [NOT_MODIFIED]);
      return stateOf(await requireContainer(docker, slug, role));
    },
    stop: async (slug, role, graceSeconds) => {
      const name = containerName(slug, role);
      const info = await inspectOurs(docker, name, slug, role);
      if (info === undefined) return;
      const grace = Math.max(0, Math.round(graceSeconds));
      await engineCall(`stop ${name}`, () => docker.getContainer(info.Id).stop({ t: grace }), [
        NOT_MODIFIED,
        NOT_FOUND,
      ]);
    },
    remove: async (slug, role) => removeOurs(docker, containerName(slug, role), slug, role),
    removeVolumes: async (slug) => removeVolumesOf(docker, slug),
    removeObject: ({ type, name, slug, role }) =>
      type === 'container'
        ? removeOurs(docker, name, slug, role)
        : removeVolumeNamed(docker, name, slug, role),
    waitForExit: async (slug, role, signal) => {
      const { Id: id } = await requireContainer(docker, slug, role);
      return waitUntilStopped(docker, id, containerName(slug, role), { signal });
    },
    followLogs: async (slug, role, since, signal, onLine, onCaughtUp) => {
      const { Id: id } = await requireContainer(docker, slug, role);
      const source = { id, name: containerName(slug, role), since };
      return followContainerLogs(docker, source, signal, onLine, onCaughtUp);
    },
    list: (slug) => listOwned(docker, slug, host),
    runningAgents: () => listRunningAgents(docker, host),
    weakObjects: (secrets) => weakObjects(docker, host, secrets),
    runOnce: async (spec, signal) => {
      const kinds = (spec.volumes ?? []).map(({ kind }) => kind);
      await requireVolumes(docker, spec.slug, kinds);
      return runOneShot(docker, spec, await cpus(), host, signal);
    },
    /** A containerd shim is known by its type's name, listed or not. */
    knowsRuntime: async (name) =>
      name.startsWith('io.containerd.') || (await facts()).runtimes.includes(name),
    archive: (slug, role, path, maxBytes) => archivePath(docker, slug, role, path, maxBytes),
    restore: (slug, role, path, tar) => restorePath(docker, slug, role, path, tar),
    imageId: async (image) => (await inspectImage(docker, image))?.Id,
    buildImage: async (spec, signal) => {
      const builder = { cpus: await cpus(), host };
      const { dockerfile, base, network } = spec;
      // Of those who ask at once, all but the first find its image.
      const built = builds.next(JSON.stringify([base, network, dockerfile]), () =>
        buildBottleImage(docker, spec, builder, signal),
      );
      return whileWanted(built, signal, DOING);
    },
    pinImage: (slug, image) => pinImage(docker, slug, image, host),
    unpinImage: (slug) => unpinImage(docker, slug, host),
    pinnedRuns: () => pinnedRuns(docker, host),
  };
}

/** What the work comes to, as long as the signal lets its caller wait; it goes on by itself. */
async function whileWanted<T>(work: Promise<T>, signal: AbortSignal, doing: string): Promise<T> {
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      reject(abortError(signal, doing));
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** A network may be named by its id, and the host's has one too. */
async function refuseHostNetwork(docker: Docker, network: string): Promise<void> {
  if (BUILT_IN_NETWORKS.has(network)) return;
  const info: unknown = await engineCall(`inspect network ${network}`, (): Promise<unknown> =>
    docker.getNetwork(network).inspect(),
  );
  if (isRecord(info) && info['Driver'] === 'host') {
    throw new InvalidInputError(
      "the bundle is never on the host's network: set BUNDLE_NETWORK to a bridge network",
    );
  }
}
