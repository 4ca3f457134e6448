import {
  formatBytes,
  type DiskRequest,
  type DiskSpace,
  type DiskUsage,
} from '../../domain/bottle/disk-usage.js';
import type { Clock } from '../../domain/base/clock.js';
import { ROOM, difference, excessOf, isWithin, quotaOf, roomFor, sum } from './disk-quota.js';

export interface DiskLimits {
  /** What a run may hold in its workspace and home, unless its bottle says otherwise. */
  readonly quota: DiskUsage;
  /** Below this many free bytes on a file system that runs write to, a turn is stopped. */
  readonly freeBytes: number;
}

/** What a run held when it was last known, and what it may hold in this turn; on disk with the turn's record. */
export interface DiskAccount {
  /** At most this; exact after a measure. */
  readonly held: DiskUsage;
  readonly limit: DiskUsage | null;
}

export interface DiskSource {
  space(): Promise<DiskSpace>;
  /** The exact measure; `null` when there is too much to count in time. Errors: the engine's. */
  usage(slug: string, signal: AbortSignal): Promise<DiskUsage | null>;
}

export interface DiskLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface GuardedTurn {
  readonly slug: string;
  /** `null` when nobody knows: it is measured at once. */
  readonly held: DiskUsage | null;
  /** What the bottle may hold in the place of the host's quota. */
  readonly asked: DiskRequest | null;
  /** Of an earlier watcher of the same turn. */
  readonly limit: DiskUsage | null;
  /** The turn begins now, so what it holds it may keep. */
  readonly fresh: boolean;
  /** The guard's count of growth when the turn began, from `mark`. */
  readonly since: DiskUsage;
  onMeasured(account: DiskAccount): void;
  /** Called once: stop the agent. `detail` is for people and for the next prompt. */
  onOver(detail: string): void;
}

/** It is one system call. What something else deletes between two looks hides as much of a run's growth. */
const POLL_MS = 1_000;
const FREE_INODES = 0.05;
/** Between two exact measures of one run; sooner while the disk grows fast, later while it seems not to grow. */
const MEASURE_MIN_MS = 30_000;
const MEASURE_FAST_MS = 5_000;
const MEASURE_IDLE_MS = 60_000;
/** A measure for which nothing speaks takes at most this share of the time. */
const MEASURE_IDLE_SHARE = 1 / 50;
const FLOOR_MEASURE_MS = 5_000;
/** How much further a low disk must fall before another turn is stopped. */
const FURTHER = 1 / 16;

const NONE: DiskUsage = { bytes: 0, inodes: 0 };

interface Watched {
  readonly turn: GuardedTurn;
  readonly quota: DiskUsage;
  readonly over: AbortController;
  held: DiskUsage | null;
  limit: DiskUsage | null;
  began: DiskUsage | null;
  since: DiskUsage;
  readonly watchedAt: number;
  measuredAt: number | null;
  /** How long the last measure took, milliseconds. */
  took: number;
  measuring: boolean;
}

/**
 * Watches the disk for all turns of this host, and walks no workspace: the growth of the file systems bounds what a run
 * can have written since it was last measured, and only where that could be too much it is measured, in a container
 * (`docs/adr/0021-disk-guard.md`).
 */
export class DiskGuard {
  private readonly watched = new Map<string, Watched>();
  private readonly used = new Map<string, DiskUsage>();
  /** All growth ever seen; what shrinks elsewhere does not hide it. */
  private grown: DiskUsage = NONE;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Free bytes and inodes when a turn was last stopped for them. */
  private stoppedAt: { readonly bytes: number; readonly inodes: number } | null = null;
  private stopping = false;

  constructor(
    private readonly source: DiskSource,
    private readonly limits: DiskLimits,
    private readonly clock: Clock,
    private readonly log: DiskLog,
  ) {}

  /** The count of growth now; a turn that begins takes it before anything is written. */
  async mark(): Promise<DiskUsage> {
    await this.look();
    return this.grown;
  }

  /** Watches until the answer is called. It gives back what the run holds at most. */
  watch(turn: GuardedTurn): () => DiskAccount | null {
    const { held, since, fresh } = turn;
    const quota = quotaOf(turn.asked, this.limits.quota);
    const limit = turn.limit ?? (held !== null && isWithin(held, quota) ? quota : null);
    const entry: Watched = {
      turn,
      quota,
      over: new AbortController(),
      held,
      limit,
      began: fresh ? held : null,
      since,
      watchedAt: this.clock.now(),
      measuredAt: null,
      took: 0,
      measuring: false,
    };
    this.watched.set(turn.slug, entry);
    this.schedule();
    return () => {
      entry.over.abort(new Error('the turn is over'));
      if (this.watched.get(turn.slug) === entry) this.watched.delete(turn.slug);
      if (this.watched.size === 0) clearTimeout(this.timer);
      const most = this.most(entry);
      return most === null ? null : { held: most, limit: entry.limit };
    };
  }

  /** One look at the disk, and what follows from it. Measures that it starts go on behind it. */
  look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.look()
        .catch((error: unknown) => {
          this.log.warn({ err: error }, 'the disk could not be looked at; trying again');
        })
        .finally(() => {
          if (this.watched.size > 0) this.schedule();
        });
    }, POLL_MS);
    this.timer.unref();
  }

  private async lookNow(): Promise<void> {
    const space = await this.source.space();
    for (const { path, usedBytes, usedInodes } of space.fileSystems) {
      const before = this.used.get(path) ?? { bytes: usedBytes, inodes: usedInodes };
      this.used.set(path, { bytes: usedBytes, inodes: usedInodes });
      this.grown = sum(this.grown, {
        bytes: Math.max(0, usedBytes - before.bytes),
        inodes: Math.max(0, usedInodes - before.inodes),
      });
    }
    this.keepFloor(space);
    for (const entry of this.watched.values())
      if (this.isDue(entry, space.complete)) void this.measure(entry);
  }

  private isDue(entry: Watched, complete: boolean): boolean {
    if (entry.measuring || entry.over.signal.aborted) return false;
    const most = this.most(entry);
    const age = this.clock.now() - (entry.measuredAt ?? entry.watchedAt);
    if (entry.measuredAt !== null && age < this.pauseOf(entry)) return false;
    if (most === null || entry.limit === null || !complete) return true;
    return !isWithin(most, entry.limit) || age >= Math.max(MEASURE_IDLE_MS, entry.took / MEASURE_IDLE_SHARE);
  }

  /** A slow measure is not repeated at once, else it would be all that this machine does. */
  private pauseOf({ quota, since, took }: Watched): number {
    const much = { bytes: quota.bytes * ROOM, inodes: quota.inodes * ROOM };
    if (isWithin(difference(this.grown, since), much)) return MEASURE_MIN_MS;
    return Math.min(MEASURE_MIN_MS, Math.max(MEASURE_FAST_MS, 10 * took));
  }

  /** What the run can hold at most: what it held, and all that anybody wrote since. */
  private most({ held, since }: Watched): DiskUsage | null {
    return held === null ? null : sum(held, difference(this.grown, since));
  }

  private async measure(entry: Watched): Promise<void> {
    const { turn, over } = entry;
    entry.measuring = true;
    const since = this.grown;
    const begunAt = this.clock.now();
    try {
      const usage = await this.source.usage(turn.slug, over.signal);
      if (over.signal.aborted) return;
      if (usage === null) {
        this.stop(entry, 'the run holds more files than can be counted in time');
        return;
      }
      entry.held = usage;
      entry.since = since;
      entry.limit ??= turn.fresh ? roomFor(usage, entry.quota) : entry.quota;
      entry.began ??= usage;
      turn.onMeasured({ held: usage, limit: entry.limit });
      const excess = excessOf(usage, entry.limit);
      if (excess !== null) this.stop(entry, excess);
    } catch (error) {
      if (!over.signal.aborted)
        this.log.warn({ slug: turn.slug, err: error }, 'the disk usage of a run could not be measured');
    } finally {
      entry.measuring = false;
      entry.measuredAt = this.clock.now();
      entry.took = entry.measuredAt - begunAt;
    }
  }

  private keepFloor({ fileSystems }: DiskSpace): void {
    const low = fileSystems.find(
      ({ freeBytes, inodes, freeInodes }) =>
        freeBytes < this.limits.freeBytes || freeInodes < inodes * FREE_INODES,
    );
    if (low === undefined) {
      this.stoppedAt = null;
      return;
    }
    const { stoppedAt } = this;
    const floorInodes = low.inodes * FREE_INODES;
    // Stopping a turn frees nothing: only a disk that falls on is a reason to stop another one.
    const falls =
      stoppedAt === null ||
      low.freeBytes < stoppedAt.bytes - this.limits.freeBytes * FURTHER ||
      low.freeInodes < stoppedAt.inodes - floorInodes * FURTHER;
    if (!falls || this.stopping) return;
    const candidates = [...this.watched.values()].filter(({ over }) => !over.signal.aborted);
    if (candidates.length === 0) return;
    this.stopping = true;
    this.stoppedAt = { bytes: low.freeBytes, inodes: low.freeInodes };
    const what = low.freeBytes < this.limits.freeBytes ? 'bytes' : 'inodes';
    const left =
      what === 'bytes' ? `${formatBytes(low.freeBytes)} of disk` : `${String(low.freeInodes)} inodes`;
    void this.grownMost(candidates, what)
      .then((entry) => {
        this.stop(entry, `this machine has ${left} left, and this turn had grown most`);
      })
      .finally(() => {
        this.stopping = false;
      });
  }

  private async grownMost(candidates: readonly Watched[], what: keyof DiskUsage): Promise<Watched> {
    const growth = async (entry: Watched): Promise<number> => {
      try {
        const usage = await this.source.usage(entry.turn.slug, AbortSignal.timeout(FLOOR_MEASURE_MS));
        return (usage?.[what] ?? Infinity) - (entry.began?.[what] ?? 0);
      } catch {
        // Too much to be counted in time is the likelier culprit.
        return Infinity;
      }
    };
    const [first] = candidates;
    if (first === undefined) throw new Error('nobody to choose from');
    if (candidates.length === 1) return first;
    const grown = await Promise.all(candidates.map(growth));
    return candidates[grown.indexOf(Math.max(...grown))] ?? first;
  }

  private stop(entry: Watched, detail: string): void {
    if (entry.over.signal.aborted) return;
    entry.over.abort(new Error(detail));
    this.log.warn({ slug: entry.turn.slug, detail }, 'a turn is stopped for the disk');
    entry.turn.onOver(detail);
  }
}
