/**
 * Bytes as they arrive, in one piece. A client decides how many chunks they come in, and each kept as a buffer of its own
 * takes more than a hundred bytes: a megabyte in chunks of one byte was 160.
 */
export class JoinedBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }
}
