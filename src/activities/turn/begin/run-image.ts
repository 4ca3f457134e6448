import type { BottleSetup } from '../../../domain/bottle/bottle-setup.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { sha256 } from '../../base/sha256.js';
import { keptChanges } from '../../setup/kept-changes.js';
import { loggedBuild } from '../../setup/logged-build.js';
import { keepRunImage, readRunImage, type RunImage } from '../../setup/run-image-file.js';
import { buildSteps } from '../../supervise/build-steps.js';

const BUILD_LOG_FILE = 'image-build.log';

/**
 * Id of the run's image. Chosen once, at the first turn: built from the bottle's Dockerfile, else the one that is named.
 * A run keeps it whatever its manifest says later, and whatever is built under the same name; only what an operator agreed to
 * since is added. Errors: `ImageBuildError`; `BottleRuntimeError` when the engine does not have the image (any more).
 */
export async function runImage(
  ports: HostPorts,
  input: RunTurnInput,
  setup: BottleSetup,
  signal: AbortSignal,
): Promise<string> {
  const { slug } = input;
  const { files, runtime } = ports;
  const kept = await readRunImage(files, slug);
  const first = kept ?? (await firstImage(ports, input, setup, signal));
  const image = await buildSteps(ports, slug, first, await keptChanges(files, slug), signal);
  const id = await runtime.pinImage(slug, image.id);
  if (kept?.id !== id) await keepRunImage(files, slug, { ...image, id });
  return id;
}

async function firstImage(
  ports: HostPorts,
  input: RunTurnInput,
  { dockerfile }: BottleSetup,
  signal: AbortSignal,
): Promise<RunImage> {
  const { slug, prepared } = input;
  const name = dockerfile === null ? prepared.image : await built(ports, input, dockerfile, signal);
  const id = await ports.runtime.pinImage(slug, name);
  return { id, name, dockerfile: dockerfile === null ? null : sha256(dockerfile), changes: [] };
}

function built(
  ports: HostPorts,
  { slug, prepared }: RunTurnInput,
  dockerfile: string,
  signal: AbortSignal,
): Promise<string> {
  ports.log.info({ slug, base: prepared.image }, "building the bottle's image, or finding it built");
  const spec = { slug, dockerfile, base: prepared.image, network: 'default' } as const;
  return loggedBuild(ports, spec, BUILD_LOG_FILE, signal);
}
