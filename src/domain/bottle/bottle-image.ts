import { BottleRuntimeError } from '../base/errors.js';

/** The command that makes an image of the product's own, by its name; for another, the one that makes what a run needs. */
export function imageCommand(image: string): string {
  const target = /^bot-bottle\/(agent-[a-z0-9-]+|bundle):dev$/.exec(image)?.[1];
  if (target === undefined) return 'script/images';
  return `script/images ${target === 'agent-scripted' ? 'agent' : target}`;
}

/** The image of a bottle that brings its own Dockerfile. */
export interface ImageBuildSpec {
  /** Run that waits for it; the image is shared by all that have the same Dockerfile and base. */
  readonly slug: string;
  /** Text of the Dockerfile. There is no context: it has nothing to copy from. */
  readonly dockerfile: string;
  /** Name or id of the image that its argument `BASE` stands for. */
  readonly base: string;
  /** `none` for a Dockerfile that nobody but an agent wrote. */
  readonly network: 'default' | 'none';
}

export interface BuiltImage {
  /** `sha256:…` */
  readonly id: string;
  /** `bot-bottle/bottle:<hash of Dockerfile and base>` */
  readonly name: string;
  /** The end of what the build printed; `null` when the image was there already. */
  readonly log: string | null;
}

/** The Dockerfile cannot be built, or makes an image that no bottle can run. The message ends with the log's last lines. */
export class ImageBuildError extends BottleRuntimeError {
  constructor(
    message: string,
    /** The end of what the build printed. */
    readonly log: string,
    options?: { cause?: unknown },
  ) {
    super(message, false, options);
  }
}
