import { removalSpec, type RemovalTarget } from '../../domain/bottle/tree-removal.js';
import type { HostPorts } from '../ports/host-ports.js';

/** They belong to agent and bundle: they are emptied in a container, the host never walks them. */
export async function emptyTrees(
  { runtime, settings }: HostPorts,
  target: Omit<RemovalTarget, 'image'>,
  signal: AbortSignal,
): Promise<void> {
  const spec = removalSpec({ ...target, image: settings.bundleImage });
  const { exitCode, stderr } = await runtime.runOnce(spec, signal);
  if (exitCode !== 0)
    throw new Error(`the container that removes it ended with ${String(exitCode)}: ${stderr.slice(0, 300)}`);
}
