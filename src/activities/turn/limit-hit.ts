import type { ContainerState, ResourceLimits } from '../../domain/bottle/bottle-runtime.js';
import { formatBytes } from '../../domain/base/format-bytes.js';
import type { LimitHit, StopReason } from '../../domain/run/turn.js';

/** What the turn ran into, whether or not it ended by that: a build that was killed for its memory is worth knowing. */
export function limitHit(
  stopped: StopReason | null,
  stopDetail: string | null,
  state: ContainerState | undefined,
  { memoryBytes }: ResourceLimits,
): LimitHit | null {
  if (stopped === 'disk') return { kind: 'disk', detail: stopDetail ?? 'too much disk' };
  if (state?.oomKilled !== true) return null;
  return {
    kind: 'memory',
    detail: `out of memory: the kernel killed a process, because together they may use ${formatBytes(memoryBytes)}`,
  };
}
