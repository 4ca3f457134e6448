import { ImageBuildError } from '../../../domain/bottle/bottle-image.js';
import type { BottleSetup } from '../../../domain/bottle/bottle-setup.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { sha256 } from '../../base/sha256.js';

/** In the run's directory: which image its agent runs from. */
export const IMAGE_FILE = 'image.json';
export const BUILD_LOG_FILE = 'image-build.log';

/**
 * Id of the run's image. Chosen once, at the first turn: built from the bottle's Dockerfile, else the one that is named.
 * A run keeps it whatever its manifest says later, and whatever is built under the same name.
 * Errors: `ImageBuildError`; `BottleRuntimeError` when the engine does not have the image (any more).
 */
export async function runImage(
  ports: HostPorts,
  input: RunTurnInput,
  setup: BottleSetup,
  signal: AbortSignal,
): Promise<string> {
  const { slug } = input;
  const kept = await keptImage(ports, input);
  if (kept !== undefined) return ports.runtime.pinImage(slug, kept);
  const name =
    setup.dockerfile === null ? input.prepared.image : await built(ports, input, setup.dockerfile, signal);
  const id = await ports.runtime.pinImage(slug, name);
  const dockerfile = setup.dockerfile === null ? null : sha256(setup.dockerfile);
  await ports.files.saveFile(slug, IMAGE_FILE, `${JSON.stringify({ id, name, dockerfile }, null, 2)}\n`);
  return id;
}

/** As written down; of a run whose first turns were before that, its container's. */
async function keptImage(ports: HostPorts, { slug, turn }: RunTurnInput): Promise<string | undefined> {
  const file = await ports.files.readFile(slug, IMAGE_FILE);
  if (file !== undefined) {
    const { id } = JSON.parse(new TextDecoder().decode(file)) as { readonly id: string };
    return id;
  }
  return turn === 1 ? undefined : (await ports.runtime.inspect(slug, 'agent'))?.imageId;
}

async function built(
  ports: HostPorts,
  { slug, prepared }: RunTurnInput,
  dockerfile: string,
  signal: AbortSignal,
): Promise<string> {
  const keep = (log: string): Promise<unknown> => ports.files.saveFile(slug, BUILD_LOG_FILE, log);
  try {
    ports.log.info({ slug, base: prepared.image }, "building the bottle's image, or finding it built");
    const image = await ports.runtime.buildImage(
      { slug, dockerfile, base: prepared.image, network: 'default' },
      signal,
    );
    if (image.log !== null) await keep(image.log);
    return image.id;
  } catch (error) {
    if (error instanceof ImageBuildError) await keep(error.log);
    throw error;
  }
}
