import type { HostPorts } from '../host-ports.js';
import type { SettleTurnInput } from '../inputs.js';
import { sha256OfLarge } from '../sha256.js';
import { isGone } from '../turn/is-gone.js';
import { pruneSnapshots, snapshotOf } from './kept-snapshots.js';
import { packSnapshot, type SnapshotPart } from './snapshot.js';

/**
 * Keeps the provider's session, all of its paths or nothing. Answers the file's hash; `null` when there is no session,
 * when it is larger than the limit, or when the container is gone: then the snapshots before stay. Errors: `BottleRuntimeError`.
 */
export async function snapshotSession(ports: HostPorts, input: SettleTurnInput): Promise<string | null> {
  const { runtime, files, settings, log } = ports;
  const { slug, turn, prepared } = input;
  const provider = ports.provider(prepared.provider);
  if (await isGone(runtime, slug, 'agent')) {
    log.warn({ slug, turn }, 'the agent’s container is gone; the last whole snapshot is kept');
    return null;
  }
  const parts: SnapshotPart[] = [];
  let left = settings.maxTranscriptBytes;
  for (const path of provider.sessionPaths) {
    const archive = await runtime.archive(slug, 'agent', path, left);
    if (archive === undefined) continue;
    if (archive.truncated) {
      log.warn({ slug, turn }, 'the session is larger than TRANSCRIPT_MAX; the last whole snapshot is kept');
      return null;
    }
    parts.push({ path, tar: archive.tar });
    left -= archive.tar.length;
  }
  if (parts.length === 0) return null;
  const { name, version } = provider;
  const snapshot = await packSnapshot({ provider: name, providerVersion: version, turn, parts });
  await files.saveFile(slug, snapshotOf(turn), snapshot);
  await pruneSnapshots(files, slug);
  return sha256OfLarge(snapshot);
}
