import type Docker from 'dockerode';
import { engineCall } from './errors.js';
import { listedVolumes } from './inventory.js';
import { ownedFilters } from './names-and-labels.js';
import { weaknessesOf } from './weaknesses.js';

export interface WeakObject {
  readonly name: string;
  /** In words that follow the name. */
  readonly weaknesses: readonly string[];
}

/** Containers and volumes with our labels that are not as we make them, running or not; of all hosts without one. */
export async function weakObjects(
  docker: Docker,
  host: string | null,
  secrets: Iterable<string>,
): Promise<WeakObject[]> {
  const filters = ownedFilters(host);
  const [containers, volumes] = await Promise.all([
    engineCall('list containers', () => docker.listContainers({ all: true, filters })),
    engineCall('list volumes', () => docker.listVolumes({ filters })),
  ]);
  const told = await Promise.all(
    containers.map(({ Id }) => engineCall(`inspect ${Id}`, () => docker.getContainer(Id).inspect(), [404])),
  );
  const values = [...secrets];
  return [
    // What went meanwhile is weak no more.
    ...told.flatMap((info) =>
      info === undefined
        ? []
        : [{ name: info.Name.replace(/^\//, ''), weaknesses: weaknessesOf(info, values) }],
    ),
    ...listedVolumes(volumes.Volumes).map(({ Name, Options }) => ({
      name: Name,
      weaknesses: Object.keys(Options ?? {}).length === 0 ? [] : ['is made of something of the host'],
    })),
  ].filter(({ weaknesses }) => weaknesses.length > 0);
}
