import { dockerfileOf } from '../../domain/supervise/image-change.js';
import type { HostPorts } from '../ports/host-ports.js';
import { loggedBuild } from '../setup/logged-build.js';
import { agreedSteps, type RunImage } from '../setup/run-image-file.js';

/**
 * The run's image with the steps of these changes that it lacks, built or found built; each build's log is kept beside it.
 * Errors: `ImageBuildError`; `BottleRuntimeError`; the signal's reason.
 * @param changes blobs of `ShownProposal`s, in order
 */
export async function buildSteps(
  ports: Pick<HostPorts, 'runtime' | 'files' | 'blobs'>,
  slug: string,
  image: RunImage,
  changes: readonly string[],
  signal: AbortSignal,
): Promise<RunImage> {
  let { id } = image;
  const missing = changes.filter((ref) => !image.changes.includes(ref));
  const agreed = await agreedSteps(ports.blobs, missing);
  for (const { ref, change } of agreed) {
    const network = change.network ? 'default' : 'none';
    const spec = { slug, base: id, dockerfile: dockerfileOf(id, change.steps), network } as const;
    id = await loggedBuild(ports, spec, `image-build-${ref.slice(0, 12)}.log`, signal);
  }
  return { ...image, id, changes: [...image.changes, ...agreed.map(({ ref }) => ref)] };
}
