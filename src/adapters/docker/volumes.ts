import type Docker from 'dockerode';
import { BottleRuntimeError } from '../../domain/base/errors.js';
import { engineCall, statusOf, toRuntimeError } from './errors.js';
import { VOLUME_KINDS, labelsOf, requireOurs, volumeName } from './names-and-labels.js';
import type { VolumeKind } from './names-and-labels.js';

/** Creates the run's volumes, or adopts them: the engine answers with the existing one, labels and all. */
export async function createVolumes(docker: Docker, slug: string, host: string | null): Promise<void> {
  await Promise.all(
    VOLUME_KINDS.map(async (kind) => {
      const name = volumeName(slug, kind);
      await engineCall(`create volume ${name}`, () =>
        docker.createVolume({ Name: name, Labels: labelsOf(slug, kind, host) }),
      );
      if (!(await volumeIsThere(docker, slug, kind)))
        throw new BottleRuntimeError(`volume ${name} went as it came`, true);
    }),
  );
}

/** @throws BottleRuntimeError when one is missing: the engine would make it up, without labels and owned by root */
export async function requireVolumes(
  docker: Docker,
  slug: string,
  kinds: readonly VolumeKind[],
): Promise<void> {
  for (const kind of kinds)
    if (!(await volumeIsThere(docker, slug, kind)))
      throw new BottleRuntimeError(`run ${slug} has no ${kind} volume: create its bundle first`, false);
}

/** @throws BottleRuntimeError when a volume of that name is not ours */
async function volumeIsThere(docker: Docker, slug: string, kind: VolumeKind): Promise<boolean> {
  const name = volumeName(slug, kind);
  return (await inspectOurs(docker, name, slug, kind)) !== undefined;
}

export async function removeVolumesOf(docker: Docker, slug: string): Promise<void> {
  for (const kind of VOLUME_KINDS) await removeVolumeNamed(docker, volumeName(slug, kind), slug, kind);
}

/** @throws BottleRuntimeError when the volume is not ours, or in use */
export async function removeVolumeNamed(
  docker: Docker,
  name: string,
  slug: string,
  role: string,
): Promise<void> {
  if ((await inspectOurs(docker, name, slug, role)) === undefined) return;
  try {
    await docker.getVolume(name).remove();
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return;
    if (status !== 409) throw toRuntimeError(error, `remove volume ${name}`);
    throw new BottleRuntimeError(`volume ${name} is in use: remove the run's containers first`, true, {
      cause: error,
    });
  }
}

async function inspectOurs(
  docker: Docker,
  name: string,
  slug: string,
  role: string,
): Promise<Docker.VolumeInspectInfo | undefined> {
  const info = await engineCall(`inspect volume ${name}`, () => docker.getVolume(name).inspect(), [404]);
  if (info !== undefined) requireOurs(info.Labels, slug, role, name);
  return info;
}
