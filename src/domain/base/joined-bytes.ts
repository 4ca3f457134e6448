/**
 * Bytes as they arrive, in one piece. A client decides how many chunks they come in, and each kept as a buffer of its own
 * takes more than a hundred bytes: a megabyte in chunks of one byte was 160.
 */
export class JoinedBytes {
  #bytes = new Uint8Array();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.whole());
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#bytes = new Uint8Array();
    this.#length = 0;
  }
}
