import { formatBytes } from '../../domain/base/format-bytes.js';
import type { DiskUsage, FileSystemSpace } from '../../domain/bottle/disk-usage.js';

const FREE_INODES = 0.05;
/** How much further a low disk must fall before another turn is stopped, as a share of the floor. */
const FURTHER = 1 / 16;

/** What a file system has too little of. */
export interface Shortage {
  readonly path: string;
  readonly what: keyof DiskUsage;
  readonly free: number;
  /** Below this it is one. */
  readonly floor: number;
  /** For people. */
  readonly left: string;
}

/** Each file system may have two. @param freeBytes the floor; that of inodes is a share of all of them */
export function shortagesOf(fileSystems: readonly FileSystemSpace[], freeBytes: number): readonly Shortage[] {
  return fileSystems
    .flatMap((system): Shortage[] => [
      {
        path: system.path,
        what: 'bytes',
        free: system.freeBytes,
        floor: freeBytes,
        left: `${formatBytes(system.freeBytes)} of disk`,
      },
      {
        path: system.path,
        what: 'inodes',
        free: system.freeInodes,
        floor: system.inodes * FREE_INODES,
        left: `${String(system.freeInodes)} inodes`,
      },
    ])
    .filter(({ free, floor }) => free < floor);
}

/** Which shortages are a reason to stop a turn. Stopping one frees nothing: a shortage that stays as it is is no reason. */
export class DiskFloor {
  /** Each shortage that a turn was stopped for, as it was then. */
  private stopped: readonly Shortage[] = [];

  /** Those that are new, or have grown since a turn was stopped for them. What is over is forgotten. */
  growing(low: readonly Shortage[]): readonly Shortage[] {
    this.stopped = this.stopped.filter((before) => low.some((shortage) => isSame(before, shortage)));
    return low.filter((shortage) => {
      const before = this.stopped.find((known) => isSame(known, shortage));
      return before === undefined || shortage.free < before.free - shortage.floor * FURTHER;
    });
  }

  /** A turn was stopped for these. */
  answered(shortages: readonly Shortage[]): void {
    const others = this.stopped.filter((before) => !shortages.some((shortage) => isSame(before, shortage)));
    this.stopped = [...others, ...shortages];
  }
}

function isSame(a: Shortage, b: Shortage): boolean {
  return a.path === b.path && a.what === b.what;
}
