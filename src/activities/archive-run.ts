import { BottleRuntimeError } from '../domain/base/errors.js';
import type { HostPorts } from './ports/host-ports.js';

/**
 * The containers of a frozen run go; volumes, workspace and transcript stay, and the next turn makes new ones. Missing
 * means done. Errors: `BottleRuntimeError` when one of them runs, which a frozen run's does not.
 * @param mayGoOn asked before each removal: false when the run is worked on again
 */
export async function archiveRun(
  { runtime }: Pick<HostPorts, 'runtime'>,
  slug: string,
  mayGoOn: () => boolean,
): Promise<void> {
  for (const role of ['agent', 'bundle'] as const) {
    const state = await runtime.inspect(slug, role);
    if (state === undefined) continue;
    if (state.status === 'running') throw new BottleRuntimeError(`the ${role} of ${slug} runs`, false);
    if (!mayGoOn()) throw new BottleRuntimeError(`a turn of ${slug} begins`, false);
    await runtime.remove(slug, role);
  }
}
