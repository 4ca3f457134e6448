import type { Duplex } from 'node:stream';
import { JoinedBytes } from '../../../domain/base/joined-bytes.js';

/** What is read ahead; one record, the largest that is waited for, is less. */
const AHEAD_BYTES = 64 * 1024;

/**
 * The first bytes of a stream, taken piece by piece; of what nobody asks for, 64 KiB and a chunk are held at most. Ends
 * with `release`, after which the stream is anybody's again.
 */
export class ByteSource {
  readonly #held = new JoinedBytes();
  /** Also when it has ended before anybody looked: that is told but once. */
  #isOver: boolean;
  #isLate = false;
  #clock: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  readonly #onData = (chunk: Buffer): void => {
    this.#held.add(chunk);
    if (this.#held.length >= AHEAD_BYTES) this.stream.pause();
    this.#wake?.();
  };
  readonly #onOver = (): void => {
    this.#isOver = true;
    this.#wake?.();
  };

  /** @param first what was read before */
  constructor(
    private readonly stream: Duplex,
    first: Buffer = Buffer.alloc(0),
  ) {
    this.#held.add(first);
    this.#isOver = stream.readableEnded || stream.destroyed;
    stream.on('data', this.#onData).on('end', this.#onOver).on('close', this.#onOver);
  }

  /** Whether no byte is held that has not been taken. */
  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Whether the time that `limit` gave is over. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** From now on, so much time for all that is taken; what is left of the time given before is forfeit. @param ms */
  limit(ms: number): void {
    clearTimeout(this.#clock);
    this.#isLate = false;
    this.#clock = setTimeout(() => {
      this.#isLate = true;
      this.#wake?.();
    }, ms);
  }

  /** Exactly so many bytes; `undefined` when the stream ends before, or the time is over. */
  async take(count: number): Promise<Buffer | undefined> {
    while (this.#held.length < count) {
      if (this.#isOver || this.#isLate) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.stream.resume();
      });
    }
    const all = this.#held.whole();
    this.#held.clear();
    this.#held.add(all.subarray(count));
    return Buffer.from(all.subarray(0, count));
  }

  /** @returns what was read and not taken; the stream waits for its next reader */
  release(): Buffer {
    clearTimeout(this.#clock);
    this.stream.pause();
    this.stream.off('data', this.#onData).off('end', this.#onOver).off('close', this.#onOver);
    return Buffer.from(this.#held.whole());
  }
}
