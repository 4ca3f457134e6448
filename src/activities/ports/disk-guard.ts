import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../domain/base/clock.js';
import type { DiskRequest, DiskSpace, DiskUsage, FileSystemSpace } from '../../domain/bottle/disk-usage.js';
import { DiskFloor, shortagesOf } from './disk-floor.js';
import { afterRise, excessOf, isWithin, limitOf, quotaOf, sum } from './disk-quota.js';
import type { Log } from '../../domain/base/log.js';

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

export interface GuardedTurn {
  readonly slug: string;
  /** What the run held at most when the turn before ended; `null` when nobody knows. */
  readonly held: DiskUsage | null;
  /** What `look` answered before the turn wrote anything; `null` for one that was watched before. */
  readonly usedBefore: DiskUsage | null;
  /** What the bottle may hold in the place of the host's quota. */
  readonly asked: DiskRequest | null;
  onMeasured(held: DiskUsage): void;
  /** Called once: stop the agent. `detail` is for people and for the next prompt. */
  onOver(detail: string): void;
}

/** A look is one system call for each file system. */
const POLL_MS = 2_000;
/** Between two measures of one run: when it may be over its limit, and in any case. */
const MEASURE_MS = 5_000;
const MEASURE_ANYWAY_MS = 60_000;
/** Measuring takes at most this share of the time. */
const MEASURE_SHARE = 1 / 10;
const FLOOR_MEASURE_MS = 5_000;

const NONE: DiskUsage = { bytes: 0, inodes: 0 };
const UNCOUNTED: DiskUsage = { bytes: Infinity, inodes: Infinity };
const HELD_MOST = 'this run held most';
const MAY_HOLD_MOST = 'this run may hold most: it could not be measured just now';

interface Watched {
  readonly turn: GuardedTurn;
  readonly limit: DiskUsage;
  readonly over: AbortController;
  /** The last measure, and what all file systems held when it began. The first one is what it held before its turn. */
  known: { readonly held: DiskUsage; readonly used: DiskUsage } | null;
  /** The measure under way, if one is. */
  measuring: Promise<DiskUsage | null> | null;
  /** When it was measured or tried to be, at first when the watch began; and how long that took, milliseconds. */
  triedAt: number;
  took: number;
}

/**
 * Watches the disk for all turns of this host. It walks no workspace: each run is measured in a container when the file
 * systems hold so much more that it may be over its limit, and every minute (`docs/adr/0021-disk-guard.md`).
 */
export class DiskGuard {
  private readonly watched = new Map<string, Watched>();
  /** What all file systems that runs write to hold together. */
  private used: DiskUsage = NONE;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly floor = new DiskFloor();

  constructor(
    private readonly source: DiskSource,
    private readonly limits: DiskLimits,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /** Watches until the answer is called. It gives back what the run holds at most. */
  watch(turn: GuardedTurn): () => DiskUsage | null {
    const { held, usedBefore } = turn;
    const entry: Watched = {
      turn,
      limit: limitOf(held ?? NONE, quotaOf(turn.asked, this.limits.quota)),
      over: new AbortController(),
      known: held && usedBefore && { held, used: usedBefore },
      measuring: null,
      triedAt: this.clock.now(),
      took: 0,
    };
    this.watched.set(turn.slug, entry);
    this.schedule();
    return () => {
      entry.over.abort(new Error('the turn is over'));
      if (this.watched.get(turn.slug) === entry) this.watched.delete(turn.slug);
      if (this.watched.size === 0) clearTimeout(this.timer);
      return this.atMost(entry);
    };
  }

  /** One look at the disk, and what follows from it; what is measured goes on behind it. Answers what the disk holds. */
  async look(): Promise<DiskUsage> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined;
    });
    await this.looking;
    return this.used;
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
    const { fileSystems } = await this.source.space();
    this.used = fileSystems
      .map(({ usedBytes, usedInodes }) => ({ bytes: usedBytes, inodes: usedInodes }))
      .reduce(sum, NONE);
    for (const entry of this.watched.values()) if (this.isDue(entry)) void this.measure(entry);
    await this.keepFloor(fileSystems);
  }

  private isDue(entry: Watched): boolean {
    if (entry.measuring !== null || entry.over.signal.aborted) return false;
    const most = this.atMost(entry);
    const pause = most !== null && isWithin(most, entry.limit) ? MEASURE_ANYWAY_MS : MEASURE_MS;
    return this.clock.now() - entry.triedAt >= Math.max(pause, entry.took / MEASURE_SHARE);
  }

  /** As if all that the disk holds more were its own. */
  private atMost({ known }: Watched): DiskUsage | null {
    return known && afterRise(known.held, known.used, this.used);
  }

  /** `null` when nobody can say. One at a time of a run: its container has one name. Never rejects. */
  private measure(entry: Watched): Promise<DiskUsage | null> {
    entry.measuring ??= this.measureNow(entry).finally(() => {
      entry.measuring = null;
    });
    return entry.measuring;
  }

  private async measureNow(entry: Watched): Promise<DiskUsage | null> {
    const { turn, over, limit } = entry;
    const { used } = this;
    const begunAt = this.clock.now();
    try {
      const held = await this.source.usage(turn.slug, over.signal);
      if (over.signal.aborted) return held;
      if (held === null) {
        this.stop(entry, 'the run holds more files than can be counted in time');
        return null;
      }
      entry.known = { held, used };
      turn.onMeasured(held);
      const excess = excessOf(held, limit);
      if (excess !== null) this.stop(entry, excess);
      return held;
    } catch (error) {
      // Its turn is over: not the one to stop.
      if (over.signal.aborted) return NONE;
      this.log.warn({ slug: turn.slug, err: error }, 'the disk usage of a run could not be measured');
      return null;
    } finally {
      entry.triedAt = this.clock.now();
      entry.took = entry.triedAt - begunAt;
    }
  }

  private async keepFloor(fileSystems: readonly FileSystemSpace[]): Promise<void> {
    const growing = this.floor.growing(shortagesOf(fileSystems, this.limits.freeBytes));
    const [first] = growing;
    if (first === undefined) return;
    const found = await this.holdsMost(first.what);
    if (found === undefined) return;
    // Whoever holds most bytes may hold few files: a shortage of those waits for the next look.
    this.floor.answered(growing.filter(({ what }) => what === first.what));
    this.stop(found.entry, `this machine has ${first.left} left, and ${found.why}`);
  }

  /**
   * The turn to stop, and why it is that one, for people and for the next prompt. A run that cannot be measured now counts with the
   * most that it can hold, all that it is allowed if it never was: a tree that is slow to walk hides nothing.
   */
  private async holdsMost(
    what: keyof DiskUsage,
  ): Promise<{ readonly entry: Watched; readonly why: string } | undefined> {
    const candidates = [...this.watched.values()].filter(({ over }) => !over.signal.aborted);
    const [only] = candidates;
    if (only !== undefined && candidates.length === 1) return { entry: only, why: 'no other turn ran' };
    const late = delay(FLOOR_MEASURE_MS, null, { ref: false });
    const measured = await Promise.all(
      candidates.map(async (entry) => {
        const held = await Promise.race([this.measure(entry), late]);
        // Stopped just now, because it holds more than can be counted.
        if (held === null && entry.over.signal.aborted) return { entry, most: UNCOUNTED, why: HELD_MOST };
        if (held === null) return { entry, most: this.atMost(entry) ?? entry.limit, why: MAY_HOLD_MOST };
        return { entry, most: held, why: HELD_MOST };
      }),
    );
    // Some may have ended meanwhile.
    const there = measured.filter(({ entry }) => this.watched.get(entry.turn.slug) === entry);
    return there.toSorted((a, b) => b.most[what] - a.most[what])[0];
  }

  private stop(entry: Watched, detail: string): void {
    if (entry.over.signal.aborted) return;
    entry.over.abort(new Error(detail));
    this.log.warn({ slug: entry.turn.slug, detail }, 'a turn is stopped for the disk');
    entry.turn.onOver(detail);
  }
}
