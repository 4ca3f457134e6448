import type { OperationLine } from '../../domain/run/queue.js';
import { inlineText } from '../../domain/text/untrusted-text.js';

export interface OperationLogOptions {
  /** Makes the lines one durable message, and gives its name. */
  readonly write: (lines: readonly OperationLine[]) => Promise<string>;
  /** Whether nobody has taken that message yet. */
  readonly isWaiting: (message: string) => boolean;
  readonly now: () => number;
  /** Told when a batch could not be written; its lines stay and are tried again. */
  readonly onFault: (error: unknown) => void;
  /** Beginning of every line's id; another one for each process of the run. */
  readonly idPrefix: string;
  readonly flushAfterMs?: number;
  readonly flushAtLines?: number;
}

const FLUSH_AFTER_MS = 250;
const FLUSH_AT_LINES = 50;
/**
 * Lines kept while the worker is away, and then written all the same. While the queue cannot be written the oldest go
 * beyond it, and a line says how many.
 */
const MAX_PENDING = 1000;
const TEXT_CHARACTERS = 300;
const LIMIT_REPORT_MS = 60_000;

export type NewOperation = Omit<OperationLine, 'id' | 'at'>;

/**
 * The semantic log of the agent's calls on its way to the worker: batched, because a drain takes 256 files and the
 * agent decides how many calls there are. While the last message lies there unread, lines wait for the next. Refusals of the rate limit are counted, not listed, for the same reason.
 */
export class OperationLog {
  readonly #options: OperationLogOptions;
  #pending: OperationLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #last: string | undefined;
  #count = 0;
  #dropped = 0;
  #limited = 0;
  #limitedToldAt = -Infinity;

  constructor(options: OperationLogOptions) {
    this.#options = options;
  }

  add(operation: NewOperation): void {
    this.#count += 1;
    const id = `${this.#options.idPrefix}-${String(this.#count)}`;
    const text = inlineText(operation.text, TEXT_CHARACTERS);
    this.#pending.push({ ...operation, id, at: this.#options.now(), text });
    while (this.#pending.length > MAX_PENDING) {
      this.#pending.shift();
      this.#dropped += 1;
    }
    if (this.#pending.length >= (this.#options.flushAtLines ?? FLUSH_AT_LINES)) this.#flushUnlessUnread();
    else this.#schedule();
  }

  /** A call the rate limit turned away: told as a sum, at most once a minute. */
  countLimited(): void {
    this.#limited += 1;
    if (this.#options.now() - this.#limitedToldAt >= LIMIT_REPORT_MS) this.#tellLimited();
  }

  /** Resolves when everything added so far is written, or could not be (told to `onFault`). Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writePending());
    return this.#writing;
  }

  /** The last flush, with the sums that have not been told yet. True when nothing is left behind. */
  async close(): Promise<boolean> {
    if (this.#limited > 0) this.#tellLimited();
    await this.flush();
    clearTimeout(this.#timer);
    return this.#pending.length === 0;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushUnlessUnread();
    }, this.#options.flushAfterMs ?? FLUSH_AFTER_MS);
  }

  #flushUnlessUnread(): void {
    const isUnread = this.#last !== undefined && this.#options.isWaiting(this.#last);
    if (isUnread && this.#pending.length < MAX_PENDING) this.#schedule();
    else void this.flush();
  }

  #tellLimited(): void {
    const text = `refused ${String(this.#limited)} call${this.#limited === 1 ? '' : 's'}: over the rate limit`;
    this.#limited = 0;
    this.#limitedToldAt = this.#options.now();
    this.add({ operation: 'rate_limit', target: '', outcome: 'refused', text });
  }

  async #writePending(): Promise<void> {
    const lines = this.#pending;
    if (lines.length === 0) return;
    this.#pending = [];
    try {
      for (let start = 0; start < lines.length; start += FLUSH_AT_LINES) {
        this.#last = await this.#options.write(lines.slice(start, start + FLUSH_AT_LINES));
      }
    } catch (error) {
      // A batch that did get through is written twice then: lines have ids, so it is no second line.
      const kept = [...lines, ...this.#pending];
      this.#dropped += Math.max(0, kept.length - MAX_PENDING);
      this.#pending = kept.slice(-MAX_PENDING);
      this.#options.onFault(error);
      this.#schedule();
      // Told when lines can be written again: now it would take the place of one more.
      return;
    }
    if (this.#dropped === 0) return;
    const text = `lost ${String(this.#dropped)} lines of this log: the queue could not be written`;
    this.#dropped = 0;
    this.add({ operation: 'operation_log', target: '', outcome: 'failed', text });
  }
}
