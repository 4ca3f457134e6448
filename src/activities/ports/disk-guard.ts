import {
  formatBytes,
  type DiskRequest,
  type DiskSpace,
  type DiskUsage,
} from '../../domain/bottle/disk-usage.js';
import type { Clock } from '../../domain/base/clock.js';
import { difference, excessOf, isWithin, limitOf, quotaOf, sum } from './disk-quota.js';

export interface DiskLimits {
  /** What a run may hold in its workspace and home, unless its bottle says otherwise. */
  readonly quota: DiskUsage;
  /** Below this many free bytes on a file system that runs write to, a turn is stopped. */
  readonly freeBytes: number;
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
  /** What the run held at most when the turn before ended; `null` when nobody knows. */
  readonly held: DiskUsage | null;
  /** The guard's count of growth before the turn wrote anything; `null` for one that was watched before. */
  readonly since: DiskUsage | null;
  /** What the bottle may hold in the place of the host's quota. */
  readonly asked: DiskRequest | null;
  onMeasured(held: DiskUsage): void;
  /** Called once: stop the agent. `detail` is for people and for the next prompt. */
  onOver(detail: string): void;
}

/** It is one system call. What something else deletes between two looks hides as much of a run's growth. */
const POLL_MS = 1_000;
const FREE_INODES = 0.05;
/** Between two exact measures of one run: when it may be over its limit, when growth cannot be seen, and in any case. */
const MEASURE_MS = 5_000;
const MEASURE_BLIND_MS = 30_000;
const MEASURE_IDLE_MS = 60_000;
/** Measuring takes at most this share of the time. */
const MEASURE_SHARE = 1 / 10;
const FLOOR_MEASURE_MS = 5_000;
/** How much further a low disk must fall before another turn is stopped. */
const FURTHER = 1 / 16;

const NONE: DiskUsage = { bytes: 0, inodes: 0 };

interface Watched {
  readonly turn: GuardedTurn;
  readonly limit: DiskUsage;
  readonly over: AbortController;
  /** What it held when the turn began, as far as it is known. */
  began: DiskUsage | null;
  /** When it was last known: what it held, and the count of growth. */
  last: { readonly held: DiskUsage; readonly grown: DiskUsage } | null;
  measuring: boolean;
  /** When it was measured or tried to be, at first when the watch began; and how long that took, milliseconds. */
  triedAt: number;
  took: number;
}

/**
 * Watches the disk for all turns of this host. It walks no workspace: each run is measured in a container, seldom while
 * the file systems have not grown by what it may still write (`docs/adr/0021-disk-guard.md`).
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

  /** Watches until the answer is called. It gives back what the run holds at most. */
  watch(turn: GuardedTurn): () => DiskUsage | null {
    const { held, since } = turn;
    const entry: Watched = {
      turn,
      limit: limitOf(held ?? NONE, quotaOf(turn.asked, this.limits.quota)),
      over: new AbortController(),
      began: held,
      last: since && held && { held, grown: since },
      measuring: false,
      triedAt: this.clock.now(),
      took: 0,
    };
    this.watched.set(turn.slug, entry);
    this.schedule();
    return () => {
      entry.over.abort(new Error('the turn is over'));
      if (this.watched.get(turn.slug) === entry) this.watched.delete(turn.slug);
      if (this.watched.size === 0) clearTimeout(this.timer);
      return this.most(entry);
    };
  }

  /** One look at the disk, and what follows from it. Measures that it starts go on behind it. Answers the count of growth. */
  async look(): Promise<DiskUsage> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined;
    });
    await this.looking;
    return this.grown;
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
    const isGood = most !== null && isWithin(most, entry.limit);
    const pause = !isGood ? MEASURE_MS : complete ? MEASURE_IDLE_MS : MEASURE_BLIND_MS;
    return this.clock.now() - entry.triedAt >= Math.max(pause, entry.took / MEASURE_SHARE);
  }

  /** What it held, and all that anybody wrote since. */
  private most({ last }: Watched): DiskUsage | null {
    return last && sum(last.held, difference(this.grown, last.grown));
  }

  private async measure(entry: Watched): Promise<void> {
    const { turn, over, limit } = entry;
    const { grown } = this;
    const begunAt = this.clock.now();
    entry.measuring = true;
    try {
      const held = await this.source.usage(turn.slug, over.signal);
      if (over.signal.aborted) return;
      if (held === null) {
        this.stop(entry, 'the run holds more files than can be counted in time');
        return;
      }
      entry.last = { held, grown };
      entry.began ??= held;
      turn.onMeasured(held);
      const excess = excessOf(held, limit);
      if (excess !== null) this.stop(entry, excess);
    } catch (error) {
      if (!over.signal.aborted)
        this.log.warn({ slug: turn.slug, err: error }, 'the disk usage of a run could not be measured');
    } finally {
      entry.measuring = false;
      entry.triedAt = this.clock.now();
      entry.took = entry.triedAt - begunAt;
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
