import Docker from 'dockerode';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { BuiltImage, ImageBuildSpec } from '../../domain/bottle/bottle-image.js';
import type {
  AgentContainerSpec,
  BottleRuntime,
  BundleContainerSpec,
  ContainerRole,
  ContainerState,
  LogLine,
  LogPosition,
  OneShotResult,
  OneShotSpec,
  OwnedObject,
} from '../../domain/bottle/bottle-runtime.js';
import { agentContainer } from './agent-container.js';
import { archivePath, restorePath } from './archive.js';
import type { Archive } from './archive.js';
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
import { engineCall } from './errors.js';
import { DOING, buildBottleImage, inspectImage } from './image/image-build.js';
import { pinImage, pinnedRuns, unpinImage } from './image/image-pin.js';
import { listOwned, listRunningAgents } from './inventory.js';
import { JoinedWork } from './joined-work.js';
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

/**
 * Bottles on a Docker engine (API 1.41 or newer), reached by dockerode through `DOCKER_HOST` or the usual socket. The
 * user needs the docker group and no other right: nothing here changes an owner on the host.
 */
export class DockerBottleRuntime implements BottleRuntime {
  readonly #docker: Docker;
  readonly #host: string | null;
  readonly #builds = new JoinedWork<BuiltImage>();
  #hostCpus: number | undefined;

  constructor({ docker = new Docker(), host = null }: DockerRuntimeOptions = {}) {
    this.#docker = docker;
    this.#host = host;
  }

  /** What `doctor` tells of the engine, and the worker asks at its start. */
  async facts(): Promise<EngineFacts> {
    const { Version: version, ApiVersion: apiVersion } = await engineCall("read the engine's version", () =>
      this.#docker.version(),
    );
    return { version, apiVersion, ...factsOf(await this.#machine()) };
  }

  async createBundle(spec: BundleContainerSpec): Promise<ContainerState> {
    const options = bundleContainer(spec, await this.#cpus());
    await this.#refuseHostNetwork(spec.network);
    await createVolumes(this.#docker, spec.slug, this.#host);
    return createOrAdopt(this.#docker, spec.slug, 'bundle', options, this.#host);
  }

  async createAgent(spec: AgentContainerSpec): Promise<ContainerState> {
    const options = agentContainer(spec, await this.#cpus());
    await requireVolumes(this.#docker, spec.slug, VOLUME_KINDS);
    return createOrAdopt(this.#docker, spec.slug, 'agent', options, this.#host);
  }

  async inspect(slug: string, role: ContainerRole): Promise<ContainerState | undefined> {
    const info = await inspectOurs(this.#docker, containerName(slug, role), slug, role);
    return info === undefined ? undefined : stateOf(info);
  }

  async start(slug: string, role: ContainerRole): Promise<ContainerState> {
    const info = await requireContainer(this.#docker, slug, role);
    const name = containerName(slug, role);
    requireHardened(info, name);
    await engineCall(`start ${name}`, () => this.#docker.getContainer(info.Id).start(), [NOT_MODIFIED]);
    return stateOf(await requireContainer(this.#docker, slug, role));
  }

  async stop(slug: string, role: ContainerRole, graceSeconds: number): Promise<void> {
    const name = containerName(slug, role);
    const info = await inspectOurs(this.#docker, name, slug, role);
    if (info === undefined) return;
    const grace = Math.max(0, Math.round(graceSeconds));
    await engineCall(`stop ${name}`, () => this.#docker.getContainer(info.Id).stop({ t: grace }), [
      NOT_MODIFIED,
      NOT_FOUND,
    ]);
  }

  async remove(slug: string, role: ContainerRole): Promise<void> {
    await removeOurs(this.#docker, containerName(slug, role), slug, role);
  }

  async removeVolumes(slug: string): Promise<void> {
    await removeVolumesOf(this.#docker, slug);
  }

  async removeObject({
    type,
    name,
    slug,
    role,
  }: Parameters<BottleRuntime['removeObject']>[0]): Promise<void> {
    if (type === 'container') await removeOurs(this.#docker, name, slug, role);
    else await removeVolumeNamed(this.#docker, name, slug, role);
  }

  async waitForExit(slug: string, role: ContainerRole, signal: AbortSignal): Promise<number> {
    const { Id: id } = await requireContainer(this.#docker, slug, role);
    return waitUntilStopped(this.#docker, id, containerName(slug, role), { signal });
  }

  async followLogs(
    slug: string,
    role: ContainerRole,
    since: LogPosition,
    signal: AbortSignal,
    onLine: (line: LogLine) => void,
    onCaughtUp?: () => void,
  ): Promise<{ readonly mayHaveGap: boolean }> {
    const { Id: id } = await requireContainer(this.#docker, slug, role);
    const source = { id, name: containerName(slug, role), since };
    return followContainerLogs(this.#docker, source, signal, onLine, onCaughtUp);
  }

  async list(slug?: string): Promise<OwnedObject[]> {
    return listOwned(this.#docker, slug, this.#host);
  }

  async runningAgents(): Promise<readonly string[]> {
    return listRunningAgents(this.#docker, this.#host);
  }

  /** What `doctor` tells: containers and volumes of ours that are not as we make them. */
  async weakObjects(secrets: Iterable<string>): Promise<WeakObject[]> {
    return weakObjects(this.#docker, this.#host, secrets);
  }

  async runOnce(spec: OneShotSpec, signal?: AbortSignal): Promise<OneShotResult> {
    await requireVolumes(
      this.#docker,
      spec.slug,
      (spec.volumes ?? []).map(({ kind }) => kind),
    );
    return runOneShot(this.#docker, spec, await this.#cpus(), this.#host, signal);
  }

  /** A containerd shim is known by its type's name, listed or not. */
  async knowsRuntime(name: string): Promise<boolean> {
    return name.startsWith('io.containerd.') || (await this.facts()).runtimes.includes(name);
  }

  async archive(
    slug: string,
    role: ContainerRole,
    path: string,
    maxBytes: number,
  ): Promise<Archive | undefined> {
    return archivePath(this.#docker, slug, role, path, maxBytes);
  }

  async restore(slug: string, role: ContainerRole, path: string, tar: Uint8Array): Promise<void> {
    await restorePath(this.#docker, slug, role, path, tar);
  }

  async imageId(image: string): Promise<string | undefined> {
    return (await inspectImage(this.#docker, image))?.Id;
  }

  async buildImage(spec: ImageBuildSpec, signal: AbortSignal): Promise<BuiltImage> {
    const machine = { cpus: await this.#cpus(), host: this.#host };
    const { dockerfile, base, network } = spec;
    return this.#builds.join(JSON.stringify([base, network, dockerfile]), DOING, signal, (joined) =>
      buildBottleImage(this.#docker, spec, machine, joined),
    );
  }

  async pinImage(slug: string, image: string): Promise<string> {
    return pinImage(this.#docker, slug, image, this.#host);
  }

  async unpinImage(slug: string): Promise<void> {
    await unpinImage(this.#docker, slug, this.#host);
  }

  async pinnedRuns(): Promise<readonly string[]> {
    return pinnedRuns(this.#docker, this.#host);
  }

  /** Asked once: a machine's number of CPUs stays. */
  async #cpus(): Promise<number> {
    this.#hostCpus ??= cpusOf(await this.#machine());
    return this.#hostCpus;
  }

  async #machine(): Promise<unknown> {
    return engineCall('ask the engine for its machine', (): Promise<unknown> => this.#docker.info());
  }

  /** A network may be named by its id, and the host's has one too. */
  async #refuseHostNetwork(network: string): Promise<void> {
    if (BUILT_IN_NETWORKS.has(network)) return;
    const info: unknown = await engineCall(`inspect network ${network}`, (): Promise<unknown> =>
      this.#docker.getNetwork(network).inspect(),
    );
    if (typeof info === 'object' && info !== null && 'Driver' in info && info.Driver === 'host') {
      throw new InvalidInputError(
        "the bundle is never on the host's network: set BUNDLE_NETWORK to a bridge network",
      );
    }
  }
}
