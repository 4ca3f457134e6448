import { BottleRuntimeError } from '../../domain/base/errors.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { SettleTurnInput } from '../ports/inputs.js';
import { sha256OfLarge } from '../base/sha256.js';
import { isGone } from '../base/is-gone.js';
import { pruneSnapshots, snapshotOf } from './kept-snapshots.js';
import { packSnapshot, type SnapshotPart } from './snapshot.js';

/**
 * Keeps the provider's session, all of its paths or nothing. Answers the file's hash; `null` when there is no session,
 * when it is larger than the limit, when the engine cannot read it (a symbolic link in place of a path makes it say 500),
 * or when the container is gone: then the snapshots before stay. Errors: `BottleRuntimeError` when the engine is away.
 */
export async function snapshotSession(ports: HostPorts, input: SettleTurnInput): Promise<string | null> {
  const { runtime, files, settings, log } = ports;
  const { slug, turn, prepared } = input;
  const provider = ports.provider(prepared.provider);
  if (await isGone(runtime, slug, 'agent')) {
    log.warn({ slug, turn }, 'the agent’s container is gone; the last whole snapshot is kept');
    return null;
  }
  let parts: readonly SnapshotPart[] | 'too_large';
  try {
    parts = await sessionParts(runtime, slug, provider.sessionPaths, settings.maxTranscriptBytes);
  } catch (error) {
    if (!(error instanceof BottleRuntimeError) || error.away) throw error;
    log.warn({ slug, turn, err: error }, 'the session cannot be read; the last whole snapshot is kept');
    return null;
  }
  if (parts === 'too_large') {
    log.warn({ slug, turn }, 'the session is larger than TRANSCRIPT_MAX; the last whole snapshot is kept');
    return null;
  }
  if (parts.length === 0) return null;
  const { name, version } = provider;
  const snapshot = await packSnapshot({ provider: name, providerVersion: version, turn, parts });
  await files.saveFile(slug, snapshotOf(turn), snapshot);
  await pruneSnapshots(files, slug);
  return sha256OfLarge(snapshot);
}

async function sessionParts(
  runtime: HostPorts['runtime'],
  slug: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<readonly SnapshotPart[] | 'too_large'> {
  const parts: SnapshotPart[] = [];
  let left = maxBytes;
  for (const path of paths) {
    const archive = await runtime.archive(slug, 'agent', path, left);
    if (archive === undefined) continue;
    if (archive.truncated) return 'too_large';
    parts.push({ path, tar: archive.tar });
    left -= archive.tar.length;
  }
  return parts;
}
