import type Docker from 'dockerode';
import { engineCall } from '../errors.js';
import { requireImage } from './image-build.js';
import { runImageName, runOfImageName } from '../names-and-labels.js';

const NOT_FOUND = 404;
/** A container that is not ours uses it. The run's name is off it all the same. */
const IN_USE = 409;

/** A name of the run's own on the image: neither a newer build of the same name nor `docker image prune` takes it away. */
export async function pinImage(
  docker: Docker,
  slug: string,
  image: string,
  host: string | null,
): Promise<string> {
  const { repo, tag } = runImageName(slug, host);
  const { Id: id } = await requireImage(docker, image);
  await engineCall(`tag ${repo}:${tag}`, () => docker.getImage(id).tag({ repo, tag }));
  return id;
}

/** Takes the run's name off; the image goes when that was its last one. */
export async function unpinImage(docker: Docker, slug: string, host: string | null): Promise<void> {
  const { repo, tag } = runImageName(slug, host);
  const name = `${repo}:${tag}`;
  await engineCall(`untag ${name}`, (): Promise<unknown> => docker.getImage(name).remove({ force: true }), [
    NOT_FOUND,
    IN_USE,
  ]);
}

/** Slugs of the runs whose name is on an image, sorted; of all hosts without one. */
export async function pinnedRuns(docker: Docker, host: string | null): Promise<string[]> {
  const { repo } = runImageName('any', null);
  const filters = JSON.stringify({ reference: [`${repo}:*`] });
  const images = await engineCall('list images', () => docker.listImages({ filters }));
  const slugs = images
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .flatMap((name) => {
      const run = runOfImageName(name);
      return run !== undefined && (host === null || run.host === host) ? [run.slug] : [];
    });
  return [...new Set(slugs)].sort();
}
