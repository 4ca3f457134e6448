import { InvalidInputError } from '../../domain/base/errors.js';
import { ImageBuildError } from '../../domain/bottle/bottle-image.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { ChangesInput, RebuiltImage } from '../ports/inputs.js';
import { readRunImage } from '../setup/run-image-file.js';
import { buildSteps } from './build-steps.js';

/**
 * Builds the image that the run's next turn is to begin in, and changes nothing else: the agent that runs keeps the old one.
 * What is wrong with the steps is an answer. Errors: `InvalidInputError` on a host where the run never had an image; the engine's.
 */
export async function rebuildImage(
  ports: HostPorts,
  { slug, changes }: ChangesInput,
  signal: AbortSignal,
): Promise<RebuiltImage> {
  const image = await readRunImage(ports.files, slug);
  if (image === undefined)
    throw new InvalidInputError(
      'the run has no image on its host yet: decide it when its agent has run there',
    );
  try {
    ports.log.info({ slug }, 'building the image that an operator agreed to');
    await buildSteps(ports, slug, image, changes, signal);
    return { kind: 'built' };
  } catch (error) {
    if (!(error instanceof ImageBuildError)) throw error;
    return { kind: 'failed', reasonRef: await ports.blobs.put(error.message) };
  }
}
