import { GitOverrunError } from '../../../domain/base/errors.js';

/** git's longest ordinary record is a path with what goes before it. */
const MAX_RECORD = 1024 * 1024;

/** Cuts output into records, piece by piece, so that no more than one of them is ever held. */
export class Records {
  readonly #separator: number;
  readonly #take: (record: string) => void;
  #begun: Buffer[] = [];
  #begunBytes = 0;

  /** @param take given each record without its separator; what it throws comes out of `push` */
  constructor(separator: '\n' | '\0', take: (record: string) => void) {
    this.#separator = separator.charCodeAt(0);
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(this.#separator, from);
      if (end < 0) break;
      this.#finish(chunk.subarray(from, end));
      from = end + 1;
    }
    if (from === chunk.length) return;
    this.#begun.push(chunk.subarray(from));
    this.#begunBytes += chunk.length - from;
    if (this.#begunBytes > MAX_RECORD) throw new GitOverrunError('git wrote a line that is too long');
  }

  /** A record that nothing ends is one too. */
  end(): void {
    if (this.#begunBytes > 0) this.#finish(Buffer.alloc(0));
  }

  #finish(last: Buffer): void {
    const whole = this.#begunBytes === 0 ? last : Buffer.concat([...this.#begun, last]);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#take(whole.toString());
  }
}
