import { atMostThrice, isAway } from '../base/tries.js';
import type { HostPorts } from '../ports/host-ports.js';
import { emptyTrees } from './empty-trees.js';

export interface LeftOfRun {
  readonly slug: string;
  /** Of the containers that are ours. */
  readonly roles: ReadonlySet<string>;
  /** Host directories that agent or bundle filled. */
  readonly trees: readonly string[];
  /** It goes on on another host: only what is known to be ours goes. */
  readonly elsewhere: boolean;
}

/**
 * Containers, volumes and directories of a run go. What an agent made may be removable by nobody: each step is tried
 * three times, then it stays for the sweeper, and the run ends without. Resolves with what stays. Errors: those of an engine
 * that is away; the signal's.
 */
export async function removeLeft(
  ports: HostPorts,
  left: LeftOfRun,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { runtime, files, underWay, slots, log } = ports;
  const { slug } = left;
  const stays: string[] = [];
  const went = async (what: string, step: () => Promise<void>): Promise<boolean> => {
    try {
      await atMostThrice(step, signal);
      return true;
    } catch (error) {
      if (signal.aborted || isAway(error)) throw error;
      log.warn({ slug, err: error }, `${what} could not be removed: the run ends, the sweeper tries again`);
      stays.push(what);
      return false;
    }
  };
  // What is full is not for the host to walk, nor for the engine: deep enough, it takes all files that the engine may open.
  if (
    (await went('its containers', () => removeContainers(ports, left))) &&
    (await went('what its agent wrote', async () =>
      emptyTrees(ports, { slug, trees: left.trees, volumes: await volumesHere(ports, slug) }, signal),
    ))
  ) {
    await went('its volumes', () => removeVolumes(ports, left));
    await went('its directories', () => files.removeTransient(slug));
  } else await went('its secrets', () => files.dropSecrets(slug));
  await went('its name on an image', () => runtime.unpinImage(slug));
  await underWay.forget(slug);
  slots.release(slug);
  return stays;
}

/** Those too that a killed worker left in the middle of counting or reading: they hold the volumes. */
async function removeContainers({ runtime }: HostPorts, { slug, roles }: LeftOfRun): Promise<void> {
  await Promise.all([
    roles.has('agent') ? runtime.remove(slug, 'agent') : undefined,
    roles.has('bundle') ? runtime.remove(slug, 'bundle') : undefined,
  ]);
  const left = (await runtime.list(slug)).filter(({ type }) => type === 'container');
  await Promise.all(left.map((container) => runtime.removeObject(container)));
}

async function volumesHere({ runtime }: HostPorts, slug: string): Promise<readonly ('home' | 'sock')[]> {
  const kinds = new Set((await runtime.list(slug)).map(({ role }) => role));
  return (['home', 'sock'] as const).filter((kind) => kinds.has(kind));
}

/** By name, as an earlier version labelled nothing; of a run that is elsewhere only what is known to be ours. */
async function removeVolumes({ runtime }: HostPorts, { slug, elsewhere }: LeftOfRun): Promise<void> {
  if (!elsewhere) return runtime.removeVolumes(slug);
  const volumes = (await runtime.list(slug)).filter(({ type }) => type === 'volume');
  await Promise.all(volumes.map((volume) => runtime.removeObject(volume)));
}
