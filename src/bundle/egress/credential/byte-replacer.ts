import { Transform, type TransformCallback } from 'node:stream';

export interface Replacement {
  readonly find: Buffer;
  readonly put: Buffer;
  /** Only where the next byte does not go on with a host's or a path's name: `https://a.example` is not in `https://a.example.org`. */
  readonly whole: boolean;
}

/** Bytes that go on with a name, a port or a path segment. */
const GOES_ON = /[A-Za-z0-9._~%@:-]/;

/**
 * Replaces bytes in a stream, across the borders of chunks too. Of a chunk's end only what may be the beginning of a
 * match is kept back, so a stream of events passes as it comes.
 */
export class ByteReplacer extends Transform {
  readonly #replacements: readonly Replacement[];
  #rest = Buffer.alloc(0);

  constructor(replacements: readonly Replacement[]) {
    super();
    // Where two begin at one place, the longer one counts.
    this.#replacements = replacements
      .filter(({ find }) => find.length > 0)
      .sort((a, b) => b.find.length - a.find.length);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const taken = this.#replace(bytes, false);
    // A copy: a small part must not hold the chunk that it came in.
    this.#rest = Buffer.from(bytes.subarray(taken));
    done();
  }

  override _flush(done: TransformCallback): void {
    const taken = this.#replace(this.#rest, true);
    this.#pushSome(this.#rest.subarray(taken));
    done();
  }

  /** Pushes what is certain. @returns how many bytes that was */
  #replace(bytes: Buffer, isEnd: boolean): number {
    const next = this.#replacements.map(({ find }) => bytes.indexOf(find));
    let from = 0;
    for (;;) {
      let first = -1;
      for (const [index, replacement] of this.#replacements.entries()) {
        while ((next[index] ?? -1) !== -1 && (next[index] ?? -1) < from)
          next[index] = bytes.indexOf(replacement.find, from);
        const at = next[index] ?? -1;
        if (at !== -1 && (first === -1 || at < (next[first] ?? 0))) first = index;
      }
      const replacement = this.#replacements[first];
      const at = next[first] ?? -1;
      if (replacement === undefined || at === -1) break;
      const end = at + replacement.find.length;
      if (replacement.whole && end === bytes.length && !isEnd) {
        this.#pushSome(bytes.subarray(from, at));
        return at;
      }
      if (replacement.whole && GOES_ON.test(String.fromCharCode(bytes[end] ?? 0))) {
        next[first] = bytes.indexOf(replacement.find, at + 1);
        continue;
      }
      this.#pushSome(bytes.subarray(from, at));
      this.#pushSome(replacement.put);
      from = end;
    }
    const keep = isEnd ? 0 : this.#beginning(bytes, from);
    this.#pushSome(bytes.subarray(from, bytes.length - keep));
    return bytes.length - keep;
  }

  /** Length of the longest end of the bytes that may be the beginning of a match. */
  #beginning(bytes: Buffer, from: number): number {
    let longest = 0;
    for (const { find } of this.#replacements) {
      const most = Math.min(find.length - 1, bytes.length - from);
      for (let length = most; length > longest; length -= 1) {
        if (bytes.compare(find, 0, length, bytes.length - length) !== 0) continue;
        longest = length;
        break;
      }
    }
    return longest;
  }

  #pushSome(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes);
  }
}
