import type Docker from 'dockerode';
import type { OwnedObject } from '../../domain/bottle/bottle-runtime.js';
import { engineCall } from './errors.js';
import { LABEL_ROLE, LABEL_SLUG, ownedFilters, requireSlug } from './names-and-labels.js';
import type { Labels } from './names-and-labels.js';

/** Every container and volume with our labels, by name; of one run when a slug is given, of all hosts without one. */
export async function listOwned(
  docker: Docker,
  slug: string | undefined,
  host: string | null,
): Promise<OwnedObject[]> {
  const filters = ownedFilters(host, slug === undefined ? {} : { [LABEL_SLUG]: requireSlug(slug) });
  const [containers, volumes] = await Promise.all([
    engineCall('list containers', () => docker.listContainers({ all: true, filters })),
    engineCall('list volumes', () => docker.listVolumes({ filters })),
  ]);
  const found = [
    ...containers.map((container) =>
      owned('container', (container.Names[0] ?? container.Id).replace(/^\//, ''), container.Labels, {
        running: container.State === 'running',
        createdAt: new Date(container.Created * 1000).toISOString(),
      }),
    ),
    ...listedVolumes(volumes.Volumes).map((volume) =>
      owned('volume', volume.Name, volume.Labels, { running: false, createdAt: createdAt(volume) }),
    ),
  ];
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Slugs of the runs whose agent runs now, of all hosts without one. One that somebody has paused runs, too. */
export async function listRunningAgents(docker: Docker, host: string | null): Promise<string[]> {
  const filters = ownedFilters(host, { [LABEL_ROLE]: 'agent' });
  const running = await engineCall('list running agents', () => docker.listContainers({ filters }));
  return running.map(({ Labels }) => Labels[LABEL_SLUG] ?? '');
}

function owned(
  type: OwnedObject['type'],
  name: string,
  labels: Labels,
  rest: { readonly running: boolean; readonly createdAt: string },
): OwnedObject {
  return { type, name, slug: labels[LABEL_SLUG] ?? '', role: labels[LABEL_ROLE] ?? '', ...rest };
}

/** Older engines answer `null` for none, which the types do not say. */
export function listedVolumes(
  volumes: Docker.VolumeInspectInfo[] | null | undefined,
): Docker.VolumeInspectInfo[] {
  return volumes ?? [];
}

/** The types lack it; the zero time when an engine does. */
function createdAt(volume: Docker.VolumeInspectInfo & { readonly CreatedAt?: string }): string {
  const time = Date.parse(volume.CreatedAt ?? '');
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
}
