import { ImageBuildError } from '../../domain/bottle/bottle-image.js';
import { dockerfileOf } from '../../domain/supervise/image-change.js';
import type { HostPorts } from '../ports/host-ports.js';
import { agreedSteps, type RunImage } from '../setup/run-image-file.js';

/**
 * The run's image with the steps of these changes that it lacks, built or found built; each build's log is kept beside it.
 * Errors: `ImageBuildError`; `BottleRuntimeError`; the signal's reason.
 * @param changes blobs of `ShownProposal`s, in order
 */
export async function buildSteps(
  { runtime, files, blobs }: Pick<HostPorts, 'runtime' | 'files' | 'blobs'>,
  slug: string,
  image: RunImage,
  changes: readonly string[],
  signal: AbortSignal,
): Promise<RunImage> {
  let { id } = image;
  const missing = changes.filter((ref) => !image.changes.includes(ref));
  const agreed = await agreedSteps(blobs, missing);
  for (const { ref, change } of agreed) {
    const keep = (log: string): Promise<unknown> =>
      files.saveFile(slug, `image-build-${ref.slice(0, 12)}.log`, log);
    const { steps, network } = change;
    const spec = { slug, base: id, dockerfile: dockerfileOf(id, steps) };
    try {
      const built = await runtime.buildImage({ ...spec, network: network ? 'default' : 'none' }, signal);
      if (built.log !== null) await keep(built.log);
      id = built.id;
    } catch (error) {
      if (error instanceof ImageBuildError) await keep(error.log);
      throw error;
    }
  }
  return { ...image, id, changes: [...image.changes, ...agreed.map(({ ref }) => ref)] };
}
