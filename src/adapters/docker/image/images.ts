import type Docker from 'dockerode';
import type { ImageUsage } from '../../../domain/upkeep/home-usage.js';
import { engineCall } from '../errors.js';
import { BUILT_IMAGES } from '../names-and-labels.js';

/** Every tag of ours, by name, and whether any container, of whatever host, is made from it. */
export async function builtImages(docker: Docker): Promise<ImageUsage[]> {
  const [images, containers] = await Promise.all([
    engineCall('list images', () =>
      docker.listImages({ filters: JSON.stringify({ reference: [`${BUILT_IMAGES}:*`] }) }),
    ),
    engineCall('list containers', () => docker.listContainers({ all: true })),
  ]);
  const used = new Set(containers.map(({ ImageID }) => ImageID));
  return images
    .flatMap(({ Id, Created, Size, RepoTags }) =>
      tagsOf(RepoTags).map((reference) => ({
        reference,
        createdAt: Created * 1000,
        inUse: used.has(Id),
        bytes: Size,
      })),
    )
    .sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/** Takes the tag away, and the image with its last one. False when a container is made from it. */
export async function removeBuiltImage(docker: Docker, reference: string): Promise<boolean> {
  const known = (await builtImages(docker)).find((image) => image.reference === reference);
  if (known === undefined) return true;
  if (known.inUse) return false;
  await engineCall(`remove image ${reference}`, () => docker.getImage(reference).remove(), [404]);
  return true;
}

/** An image may have tags elsewhere; an engine answers `null` for none. */
function tagsOf(tags: readonly string[] | null | undefined): string[] {
  return (tags ?? []).filter((tag) => tag.startsWith(`${BUILT_IMAGES}:`));
}
