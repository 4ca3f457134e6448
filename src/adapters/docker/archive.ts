import { setImmediate } from 'node:timers/promises';
import type Docker from 'dockerode';
import { BottleRuntimeError } from '../../domain/base/errors.js';
import type { ContainerRole } from '../../domain/bottle/bottle-runtime.js';
import { joinPieces } from '../../domain/base/join-pieces.js';
import { requireContainer } from './containers.js';
import { withoutLateErrors } from './engine-stream.js';
import { engineCall } from './errors.js';

export interface Archive {
  readonly tar: Uint8Array;
  readonly truncated: boolean;
}

/**
 * Tar of a path in a stopped container; its entries start with the path's last segment, so it is restored into the
 * path's parent. The engine writes a sparse file out in full: the stream is cut at the cap, and what was
 * cut is no complete tar. Never unpacked on the host.
 * @returns `undefined` when the path is not there
 * @throws BottleRuntimeError, also when the container runs
 */
export async function archivePath(
  docker: Docker,
  slug: string,
  role: ContainerRole,
  path: string,
  maxBytes: number,
): Promise<Archive | undefined> {
  const container = await stoppedContainer(docker, slug, role);
  return engineCall(
    `archive ${path} of ${role} of ${slug}`,
    async () => readCapped(await container.getArchive({ path }), maxBytes),
    // The container was there a moment ago, so what was not found is the path.
    [404],
  );
}

/**
 * Unpacks a tar below the path, which must be on a volume: the root file system is read-only. A tar that the engine does
 * not take, such as one with a symbolic link out of the path, is a final error; what comes before in it is unpacked.
 */
export async function restorePath(
  docker: Docker,
  slug: string,
  role: ContainerRole,
  path: string,
  tar: Uint8Array,
): Promise<void> {
  const container = await stoppedContainer(docker, slug, role);
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  const doing = `restore ${path} of ${role} of ${slug}`;
  try {
    await engineCall(doing, () => container.putArchive(bytes, { path }));
  } catch (error) {
    if (!(error instanceof BottleRuntimeError) || error.away) throw error;
    // The engine says 500 for it, as for troubles of its own, and quotes names that an agent gave.
    throw new BottleRuntimeError(error.message, false, { cause: error });
  }
}

/** In a running one the agent could move a symbolic link under the engine's feet. */
async function stoppedContainer(
  docker: Docker,
  slug: string,
  role: ContainerRole,
): Promise<Docker.Container> {
  const info = await requireContainer(docker, slug, role);
  if (info.State.Running) throw new BottleRuntimeError(`${role} of ${slug} is running: stop it first`, false);
  return docker.getContainer(info.Id);
}

async function readCapped(stream: NodeJS.ReadableStream, maxBytes: number): Promise<Archive> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let truncated = false;
  try {
    for await (const chunk of withoutLateErrors(stream)) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const kept = buffer.subarray(0, maxBytes - bytes);
      chunks.push(kept);
      bytes += kept.length;
      truncated = kept.length < buffer.length;
      // Leaving the loop destroys the stream, and with it the request.
      if (truncated) break;
    }
  } catch (cause) {
    // The engine had begun to answer: it may be what it read that it stumbled over.
    throw new BottleRuntimeError('the engine broke off a tar in the middle', true, { cause });
  }
  return { tar: await joinPieces(chunks, setImmediate), truncated };
}
