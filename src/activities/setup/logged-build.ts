import { ImageBuildError, type ImageBuildSpec } from '../../domain/bottle/bottle-image.js';
import type { HostPorts } from '../ports/host-ports.js';

/**
 * Builds an image, or finds it built; what the build printed is kept in the run's directory, also when it fails. Errors: those
 * of `buildImage`.
 * @returns the image's id
 */
export async function loggedBuild(
  { runtime, files }: Pick<HostPorts, 'runtime' | 'files'>,
  spec: ImageBuildSpec,
  logFile: string,
  signal: AbortSignal,
): Promise<string> {
  const keep = (log: string): Promise<unknown> => files.saveFile(spec.slug, logFile, log);
  try {
    const { id, log } = await runtime.buildImage(spec, signal);
    if (log !== null) await keep(log);
    return id;
  } catch (error) {
    if (error instanceof ImageBuildError) await keep(error.log);
    throw error;
  }
}
