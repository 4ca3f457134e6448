import { readMetadata } from '../../base/run-text.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';

/**
 * Before the first turn of a run that was moved here: containers and volumes of its name are of an earlier epoch, of this
 * host or of another one that shares the engine, and an agent may still be at work in there. They go; workspace and
 * snapshots that came with the home's data stay. Repeating it does so once an epoch.
 */
export async function takeOver(
  { runtime, files, log }: Pick<HostPorts, 'runtime' | 'files' | 'log'>,
  { slug, turn, epoch = 0 }: Pick<RunTurnInput, 'slug' | 'turn' | 'epoch'>,
): Promise<void> {
  if (epoch === 0) return;
  if ((await readMetadata(files, slug))?.epoch === epoch) return;
  log.info({ slug, turn, epoch }, 'taking over a run that was moved here');
  await Promise.all([runtime.stop(slug, 'agent', 0), runtime.stop(slug, 'bundle', 1)]);
  await Promise.all([runtime.remove(slug, 'agent'), runtime.remove(slug, 'bundle')]);
  await runtime.removeVolumes(slug);
}
