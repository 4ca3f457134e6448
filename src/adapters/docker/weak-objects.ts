import type Docker from 'dockerode';
import { engineCall } from './errors.js';
import { LABEL_HOST, LABEL_MANAGED } from './names-and-labels.js';
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
  const filters = { label: [`${LABEL_MANAGED}=1`, ...(host === null ? [] : [`${LABEL_HOST}=${host}`])] };
  const [containers = [], volumes] = await Promise.all([
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
    // Older engines answer `null` for none, which the types do not say.
    ...((volumes?.Volumes as Docker.VolumeInspectInfo[] | null | undefined) ?? []).map(
      ({ Name, Options }) => ({
        name: Name,
        weaknesses: Object.keys(Options ?? {}).length === 0 ? [] : ['is made of something of the host'],
      }),
    ),
  ].filter(({ weaknesses }) => weaknesses.length > 0);
}
