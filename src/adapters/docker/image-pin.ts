import type Docker from 'dockerode';
import { engineCall } from './errors.js';
import { requireImage } from './image-build.js';
import { requireSlug } from './names-and-labels.js';

const RUN_REPOSITORY = 'bot-bottle/run';
const NOT_FOUND = 404;
/** A container that is not ours uses it. The run's name is off it all the same. */
const IN_USE = 409;

/** A name of the run's own on the image: neither a newer build of the same name nor `docker image prune` takes it away. */
export async function pinImage(docker: Docker, slug: string, image: string): Promise<string> {
  const tag = requireSlug(slug);
  const { Id: id } = await requireImage(docker, image);
  await engineCall(`tag ${RUN_REPOSITORY}:${tag}`, () =>
    docker.getImage(id).tag({ repo: RUN_REPOSITORY, tag }),
  );
  return id;
}

/** Takes the run's name off; the image goes when that was its last one. */
export async function unpinImage(docker: Docker, slug: string): Promise<void> {
  const name = `${RUN_REPOSITORY}:${requireSlug(slug)}`;
  await engineCall(`untag ${name}`, (): Promise<unknown> => docker.getImage(name).remove({ force: true }), [
    NOT_FOUND,
    IN_USE,
  ]);
}
