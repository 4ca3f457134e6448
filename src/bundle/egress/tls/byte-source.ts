import type { Duplex } from 'node:stream';

/**
 * The first bytes of a stream, taken piece by piece; what nobody asks for stays in the stream, but for one chunk. Ends
 * with `release`, after which the stream is anybody's again.
 */
export class ByteSource {
  #chunks: Buffer[];
  #held: number;
  /** Also when it has ended before anybody looked: that is told but once. */
  #isOver: boolean;
  #wake: (() => void) | undefined;
  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    this.stream.pause();
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
    this.#chunks = [first];
    this.#held = first.length;
    this.#isOver = stream.readableEnded || stream.destroyed;
    stream.on('data', this.#onData).on('end', this.#onOver).on('close', this.#onOver);
    stream.pause();
  }

  /** Whether no byte is held that has not been taken. */
  get isEmpty(): boolean {
    return this.#held === 0;
  }

  /** Exactly so many bytes; `undefined` when the stream ends before, or the signal says that it is enough. */
  async take(count: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    const wake = (): void => this.#wake?.();
    signal?.addEventListener('abort', wake);
    try {
      while (this.#held < count) {
        if (this.#isOver || signal?.aborted === true) return undefined;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          this.stream.resume();
        });
      }
    } finally {
      signal?.removeEventListener('abort', wake);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(count)];
    this.#held -= count;
    return all.subarray(0, count);
  }

  /** @returns what was read and not taken; the stream waits for its next reader */
  release(): Buffer {
    this.stream.off('data', this.#onData).off('end', this.#onOver).off('close', this.#onOver);
    return Buffer.concat(this.#chunks);
  }
}
