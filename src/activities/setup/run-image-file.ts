/** Which image a run's agent runs from, as the host has it. */
import type { BottleSetup } from '../../domain/bottle/bottle-setup.js';
import type { BlobStore, RunFiles } from '../../domain/run/run-files.js';
import type { ImageChange, ShownImage } from '../../domain/supervise/image-change.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import { readOwnJson } from '../base/run-text.js';
import { sha256 } from '../base/sha256.js';

const FILE = 'image.json';

export interface RunImage {
  /** `sha256:…` */
  readonly id: string;
  /** What it began with: a name, or the id of what the bottle's Dockerfile made. */
  readonly name: string;
  /** SHA-256 of the bottle's own Dockerfile; `null`: an image with a name was taken. */
  readonly dockerfile: string | null;
  /** Blobs of the proposals whose steps are in it, in order. */
  readonly changes: readonly string[];
}

export function readRunImage(files: Pick<RunFiles, 'readFile'>, slug: string): Promise<RunImage | undefined> {
  return readOwnJson(files, slug, FILE);
}

export async function keepRunImage(
  files: Pick<RunFiles, 'saveFile'>,
  slug: string,
  image: RunImage,
): Promise<void> {
  await files.saveFile(slug, FILE, `${JSON.stringify(image, null, 2)}\n`);
}

export interface AgreedSteps {
  readonly ref: string;
  readonly change: ImageChange;
}

/** Those of the changes that add to an image. @param refs blobs of `ShownProposal`s */
export async function agreedSteps(
  blobs: Pick<BlobStore, 'getText'>,
  refs: readonly string[],
): Promise<readonly AgreedSteps[]> {
  const steps: AgreedSteps[] = [];
  for (const ref of refs) {
    const { change } = readShownProposal(await blobs.getText(ref));
    if (change.kind === 'image') steps.push({ ref, change });
  }
  return steps;
}

/** As the agent is shown it; `null` before the run has one. */
export async function shownImage(
  {
    files,
    blobs,
  }: { readonly files: Pick<RunFiles, 'readFile'>; readonly blobs: Pick<BlobStore, 'getText'> },
  slug: string,
  setup: Pick<BottleSetup, 'dockerfile'>,
): Promise<ShownImage | null> {
  const image = await readRunImage(files, slug);
  if (image === undefined) return null;
  const isOfBottle = setup.dockerfile !== null && sha256(setup.dockerfile) === image.dockerfile;
  const steps = (await agreedSteps(blobs, image.changes)).flatMap(({ change }) => change.steps);
  return { id: image.id, dockerfile: isOfBottle ? setup.dockerfile : null, steps };
}
