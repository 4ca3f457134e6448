import { BotBottleError } from '../../domain/base/errors.js';
import type { Work } from '../../domain/run/under-way.js';
import { atMostThrice, isAway } from '../base/tries.js';
import type { HostPorts } from '../ports/host-ports.js';

/** What a disk of ours says that takes nothing more (errno(3)): no agent's making, and somebody mends it. */
const DISK_FAULTS: ReadonlySet<unknown> = new Set(['EDQUOT', 'EIO', 'ENOSPC', 'EROFS']);

/**
 * What is away comes back, and a disk is mended: until then nothing is deleted. What kills worker after worker is not
 * kept.
 */
export async function orSkip(
  { log, underWay }: Pick<HostPorts, 'log' | 'underWay'>,
  work: Work,
  signal: AbortSignal,
  keep: () => Promise<void>,
): Promise<void> {
  try {
    await atMostThrice(() => underWay.during(work, keep), signal);
  } catch (error) {
    if (signal.aborted || isAway(error)) throw error;
    const fault = error instanceof BotBottleError ? error.cause : error;
    if (fault instanceof Error && 'code' in fault && DISK_FAULTS.has(fault.code)) throw fault;
    log.warn({ slug: work.slug, err: error }, `${work.what} failed; going on without`);
  }
}
