import { readMetadata } from '../../base/run-text.js';
import { emptyWorkspace } from '../../left/empty-workspace.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';

/**
 * Before the first turn of a run that was moved here: containers and volumes of its name are of an earlier epoch, of this
 * host or of another one that shares the engine, and an agent may still be at work in there. They go. Workspace and
 * snapshots that came with the home's data stay, unless they are older than the run: then the workspace is emptied, since an
 * agent would find it ready. Repeating it does so once an epoch, and never once an agent has begun in it.
 * @returns whether the workspace was emptied
 */
export async function takeOver(ports: HostPorts, input: RunTurnInput, signal: AbortSignal): Promise<boolean> {
  const { runtime, files, log } = ports;
  const { slug, turn, subject, repoId, source, prepared, epoch = 0 } = input;
  if (epoch === 0) return false;
  if ((await readMetadata(files, slug))?.epoch === epoch) return false;
  log.info({ slug, turn, epoch }, 'taking over a run that was moved here');
  await Promise.all([runtime.stop(slug, 'agent', 0), runtime.stop(slug, 'bundle', 1)]);
  await Promise.all([runtime.remove(slug, 'agent'), runtime.remove(slug, 'bundle')]);
  const isOld = input.moved === 'lost';
  if (isOld) {
    const run = { slug, subject, repoId, branch: prepared.branch, turn };
    await emptyWorkspace(ports, source === undefined ? run : { ...run, source }, signal);
  }
  await runtime.removeVolumes(slug);
  return isOld;
}
