import { DiskGuard, type GuardedTurn } from '../../../../src/activities/ports/disk-guard.js';
import type { DiskUsage, FileSystemSpace } from '../../../../src/domain/bottle/disk-usage.js';

export const MIB = 1024 ** 2;
export const QUOTA: DiskUsage = { bytes: 100 * MIB, inodes: 1_000 };
export const FLOOR = 64 * MIB;
const QUIET = { info: () => undefined, warn: () => undefined };
export const NOTHING: DiskUsage = { bytes: 0, inodes: 0 };

/** A disk whose numbers a test sets, runs on it, and a clock. */
export class Disk {
  now = 1_000_000;
  freeBytes = 50_000 * MIB;
  private size = 100_000 * MIB;
  freeInodes = 90_000;
  /** Of a second file system, the engine's; `null` where it is on the first one. */
  engineFreeBytes: number | null = null;
  isSeen = true;
  /** A measure, milliseconds. */
  took = 0;
  readonly holds = new Map<string, DiskUsage | null>();
  readonly measured: string[] = [];
  private readonly measuring = new Set<string>();
  readonly over = new Map<string, string>();
  readonly noted: DiskUsage[] = [];
  private readonly ends: (() => DiskUsage | null)[] = [];
  readonly guard = new DiskGuard(
    {
      space: () => Promise.resolve({ fileSystems: this.isSeen ? this.systems() : [], complete: this.isSeen }),
      usage: async (slug) => {
        this.measured.push(slug);
        this.now += this.took;
        if (this.measuring.has(slug)) throw new Error('the name of the container is in use');
        this.measuring.add(slug);
        await Promise.resolve();
        this.measuring.delete(slug);
        const usage = this.holds.get(slug);
        if (usage === undefined) throw new Error('no engine');
        return usage;
      },
    },
    { quota: QUOTA, freeBytes: FLOOR },
    { now: () => this.now },
    QUIET,
  );

  /** A run writes; the file system grows by as much. */
  write(slug: string, bytes: number, inodes = 1): void {
    const before = this.holds.get(slug) ?? NOTHING;
    this.holds.set(slug, { bytes: before.bytes + bytes, inodes: before.inodes + inodes });
    this.freeBytes -= bytes;
    this.freeInodes -= inodes;
  }

  /** Another size of the file system, with this much free; what it holds stays. */
  resize(freeBytes: number): void {
    this.size += freeBytes - this.freeBytes;
    this.freeBytes = freeBytes;
  }

  async watch(slug: string, change: Partial<GuardedTurn> = {}): Promise<() => DiskUsage | null> {
    const usedBefore = await this.guard.look();
    if (!this.holds.has(slug)) this.holds.set(slug, NOTHING);
    const end = this.guard.watch({
      slug,
      held: NOTHING,
      usedBefore,
      asked: null,
      onMeasured: (held) => this.noted.push(held),
      onOver: (detail) => this.over.set(slug, detail),
      ...change,
    });
    this.ends.push(end);
    return end;
  }

  /** No turn is watched any more. */
  end(): void {
    for (const end of this.ends) end();
  }

  /** A look, and all that follows from it. */
  async look(after = 5_000): Promise<void> {
    this.now += after;
    await this.guard.look();
    await new Promise((resolve) => setImmediate(resolve));
  }

  private systems(): FileSystemSpace[] {
    const home = system('/h', this.size, this.freeBytes, this.freeInodes);
    return this.engineFreeBytes === null
      ? [home]
      : [home, system('/engine', this.size, this.engineFreeBytes, 90_000)];
  }
}

function system(path: string, size: number, freeBytes: number, freeInodes: number): FileSystemSpace {
  const usedBytes = size - freeBytes;
  return { path, freeBytes, usedBytes, inodes: 100_000, freeInodes, usedInodes: 100_000 - freeInodes };
}
