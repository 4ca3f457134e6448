import { formatBytes } from '../../domain/base/format-bytes.js';
import type { DiskRequest, DiskUsage } from '../../domain/bottle/disk-usage.js';

/** What a run that is over its quota may still write in a turn, so that it can tidy up: a share of the quota. */
const ROOM = 0.05;

/** The bottle is the operator's too: what it says counts, be it less or more than the host's. */
export function quotaOf(asked: DiskRequest | null, host: DiskUsage): DiskUsage {
  return { bytes: asked?.bytes ?? host.bytes, inodes: asked?.inodes ?? host.inodes };
}

/** What is over its quota when its turn begins may run, and tidy up. */
export function limitOf(held: DiskUsage, quota: DiskUsage): DiskUsage {
  if (isWithin(held, quota)) return quota;
  return {
    bytes: Math.max(quota.bytes, Math.ceil(held.bytes + quota.bytes * ROOM)),
    inodes: Math.max(quota.inodes, Math.ceil(held.inodes + quota.inodes * ROOM)),
  };
}

/** For people and for the next prompt; `null` when nothing is beyond the limit. */
export function excessOf(usage: DiskUsage, limit: DiskUsage): string | null {
  if (usage.bytes > limit.bytes)
    return `the run held ${formatBytes(usage.bytes)} on disk, and may hold ${formatBytes(limit.bytes)}`;
  if (usage.inodes > limit.inodes)
    return `the run held ${String(usage.inodes)} files and directories, and may hold ${String(limit.inodes)}`;
  return null;
}

export function isWithin(usage: DiskUsage, limit: DiskUsage): boolean {
  return usage.bytes <= limit.bytes && usage.inodes <= limit.inodes;
}

export function sum(a: DiskUsage, b: DiskUsage): DiskUsage {
  return { bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes };
}

/** The most that a run can hold: what it held when it was measured, and everything that the disk has gained since. */
export function afterRise(held: DiskUsage, before: DiskUsage, now: DiskUsage): DiskUsage {
  return {
    bytes: held.bytes + Math.max(0, now.bytes - before.bytes),
    inodes: held.inodes + Math.max(0, now.inodes - before.inodes),
  };
}
