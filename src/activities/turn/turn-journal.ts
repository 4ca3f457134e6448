import type { Clock } from '../../domain/base/clock.js';
import type { RunFiles, TurnRecord } from '../../domain/run/run-files.js';

/** Check-ins and log positions are written this seldom, milliseconds; decisions at once. */
export const COALESCE_MS = 5_000;

/** What must be known of a turn after the worker that watches it died: on disk before it matters. */
export class TurnJournal {
  private writing: Promise<void> = Promise.resolve();
  private writtenAt = 0;

  private constructor(
    private readonly files: RunFiles,
    private readonly slug: string,
    private readonly clock: Clock,
    private current: TurnRecord,
    /** The turn was begun by an earlier watcher. */
    readonly resumed: boolean,
  ) {}

  static async open(files: RunFiles, slug: string, turn: number, clock: Clock): Promise<TurnJournal> {
    const known = await files.readTurn(slug, turn);
    return new TurnJournal(files, slug, clock, known ?? blankTurnRecord(turn), known !== undefined);
  }

  get record(): TurnRecord {
    return this.current;
  }

  /** Durable when it resolves. */
  async decide(change: Partial<TurnRecord>): Promise<void> {
    this.current = { ...this.current, ...change };
    await this.write();
  }

  /** Known at once, durable soon. */
  observe(change: Partial<TurnRecord>): void {
    this.current = { ...this.current, ...change };
    const age = this.clock.now() - this.writtenAt;
    // Less than nothing where the clock was set back since.
    if (age >= 0 && age < COALESCE_MS) return;
    void this.write().catch(() => undefined);
  }

  /** So many milliseconds do not count against the turn's limit, or do once more where the clock was set back. */
  hold(ms: number): void {
    if (ms !== 0) this.observe({ heldMs: this.current.heldMs + ms });
  }

  /** The same, while the operator was asked. */
  ask(ms: number): void {
    this.observe({ heldMs: this.current.heldMs + ms, askedMs: this.current.askedMs + ms });
  }

  checkIn(at: number = this.clock.now()): void {
    const { lastCheckinAt } = this.current;
    // What was heard in the future was heard before the clock was set back.
    if (at > lastCheckinAt || lastCheckinAt > this.clock.now()) this.observe({ lastCheckinAt: at });
  }

  private write(): Promise<void> {
    this.writtenAt = this.clock.now();
    const next = this.writing
      .catch(() => undefined)
      .then(() => this.files.writeTurn(this.slug, this.current));
    this.writing = next;
    return next;
  }
}

/** Of a turn of which nothing has happened. */
export function blankTurnRecord(turn: number): TurnRecord {
  return {
    turn,
    previousStart: '',
    refs: null,
    baseSha: null,
    logSince: null,
    lastCheckinAt: 0,
    done: null,
    sidecarRestarts: 0,
    heldMs: 0,
    askedMs: 0,
    stopped: null,
    stopDetail: null,
    setAside: null,
    disk: null,
    provider: null,
    sessionId: null,
    lost: [],
    reported: null,
  };
}
