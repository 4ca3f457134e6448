import type { ContainerRole } from '../../domain/bottle/bottle-runtime.js';
import type { HostPorts } from '../ports/host-ports.js';

/** The engine answers, and has no such container: it came back without it, or somebody removed it. */
export async function isGone(
  runtime: Pick<HostPorts['runtime'], 'inspect'>,
  slug: string,
  role: ContainerRole,
): Promise<boolean> {
  try {
    return (await runtime.inspect(slug, role)) === undefined;
  } catch {
    return false;
  }
}
