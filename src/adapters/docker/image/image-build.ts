import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { BottleRuntimeError } from '../../../domain/base/errors.js';
import {
  ImageBuildError,
  imageCommand,
  type BuiltImage,
  type ImageBuildSpec,
} from '../../../domain/bottle/bottle-image.js';
import { escapeTerminalLines } from '../../../domain/text/escape.js';
import { endWith, type EngineStream } from '../engine-stream.js';
import { abortError, engineCall, statusOf, toRuntimeError } from '../errors.js';
import { MIB } from '../hardening.js';
import { imageFlaw } from './image-check.js';
import { BUILT_IMAGES, type Labels } from '../names-and-labels.js';
import { readBuildOutput, type BuildOutput } from './image-output.js';
import { sha256 } from '../../system/sha256.js';
import { withinLimit } from '../../system/within-limit.js';

/** SHA-256 of Dockerfile and base: the tag has only the beginning of it. */
const LABEL_INPUTS = 'bot-bottle.image-inputs';
const TIMEOUT_MS = 30 * 60_000;
const MEMORY_BYTES = 4096 * MIB;
const CPU_PERIOD_US = 100_000;
const BUILD_CPUS = 2;
/** For errors of whoever stops waiting. */
export const DOING = "building the bottle's image";
const BAD_REQUEST = 400;
const LAST_LINES = 12;
const LAST_CHARACTERS = 1500;

/** What the types of dockerode's `buildImage` lack (Engine API 1.41, `POST /build`). */
interface BuildQuery {
  readonly buildargs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly networkmode?: string;
  readonly memory: number;
  readonly memswap: number;
  readonly cpuperiod: number;
  readonly cpuquota: number;
  readonly rm: true;
  readonly forcerm: true;
}

/**
 * Builds the image of a bottle's own Dockerfile, or finds it: the tag is the hash of Dockerfile and base, and is given
 * only to an image that passed the check. The classic builder, so that there is no front end to be named by a comment.
 * An aborted call leaves the layers that are done, and the next one goes on from there.
 */
export async function buildBottleImage(
  docker: Docker,
  spec: ImageBuildSpec,
  machine: { readonly cpus: number; readonly host: string | null },
  signal: AbortSignal,
): Promise<BuiltImage> {
  signal.throwIfAborted();
  const base = await requireImage(docker, spec.base);
  const inputs = inputsOf(spec, base.Id);
  const tag = inputs.slice(0, 12);
  const name = `${BUILT_IMAGES}:${tag}`;
  const there = await inspectImage(docker, name);
  if (there !== undefined && inputsIn(there.Config.Labels) === inputs)
    return { id: there.Id, name, log: null };
  const output = await run(docker, spec, base.Id, inputs, signal);
  const { id, log } = output;
  if (id === undefined || output.error !== undefined)
    throw new ImageBuildError(reasonOf(output.error ?? 'the engine named no image', log), log);
  const flaw = await imageFlaw(docker, id, spec.slug, machine);
  if (flaw !== undefined) throw new ImageBuildError(`the bottle's Dockerfile makes no bottle: ${flaw}`, log);
  await engineCall(`tag ${name}`, () => docker.getImage(id).tag({ repo: BUILT_IMAGES, tag }));
  return { id, name, log };
}

/** Dockerfile, base and network decide what comes out; the base's id, since its name may mean another one tomorrow. */
function inputsOf({ dockerfile, network }: ImageBuildSpec, baseId: string): string {
  return sha256(JSON.stringify([baseId, network, dockerfile]));
}

/** An image without labels has `null`, which the types do not say. */
function inputsIn(labels: Labels | null | undefined): string | undefined {
  return labels?.[LABEL_INPUTS];
}

export async function inspectImage(
  docker: Docker,
  image: string,
): Promise<Docker.ImageInspectInfo | undefined> {
  return engineCall(`inspect image ${image}`, () => docker.getImage(image).inspect(), [404]);
}

/** @throws BottleRuntimeError, final, when the engine does not have it */
export async function requireImage(docker: Docker, image: string): Promise<Docker.ImageInspectInfo> {
  const info = await inspectImage(docker, image);
  if (info === undefined)
    throw new BottleRuntimeError(
      `the engine has no image ${image}: run ${imageCommand(image)}, or load it`,
      false,
    );
  return info;
}

async function run(
  docker: Docker,
  spec: ImageBuildSpec,
  baseId: string,
  inputs: string,
  signal: AbortSignal,
): Promise<BuildOutput> {
  const query: BuildQuery = {
    buildargs: { BASE: baseId },
    labels: { [LABEL_INPUTS]: inputs },
    ...(spec.network === 'none' ? { networkmode: 'none' } : {}),
    memory: MEMORY_BYTES,
    memswap: MEMORY_BYTES,
    cpuperiod: CPU_PERIOD_US,
    cpuquota: CPU_PERIOD_US * BUILD_CPUS,
    rm: true,
    forcerm: true,
  };
  return withinLimit(TIMEOUT_MS, signal, async (ending) => {
    try {
      // All that a build is given.
      const context = pack();
      context.entry({ name: 'Dockerfile', mtime: new Date(0) }, spec.dockerfile);
      context.finalize();
      const stream = (await docker.buildImage(context, query as Docker.ImageBuildOptions)) as EngineStream;
      endWith(stream, ending);
      return await readBuildOutput(stream as AsyncIterable<Buffer>);
    } catch (error) {
      if (signal.aborted) throw abortError(signal, DOING);
      if (ending.aborted)
        throw new ImageBuildError(
          `the bottle's image was not built within ${String(TIMEOUT_MS / 60_000)} min`,
          '',
        );
      const fault = toRuntimeError(error, "build the bottle's image");
      // 400: what was sent is no Dockerfile.
      if (statusOf(error) === BAD_REQUEST) throw new ImageBuildError(fault.message, '', { cause: error });
      throw fault;
    }
  });
}

/** The output is whatever the build ran: nothing in it moves a cursor where the reason is shown. */
function reasonOf(error: string, log: string): string {
  const lines = log.trimEnd().split('\n').slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
  return escapeTerminalLines(
    `the bottle's Dockerfile cannot be built: ${error.trim().slice(0, LAST_CHARACTERS)}\n${lines}`,
  );
}
