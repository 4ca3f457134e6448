/** Bytes that are not what they should be; the message is to stand behind what they should be. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/** Reads what TLS is made of: numbers, big end first, and vectors that begin with their length. Errors: `MalformedError`. */
export class ByteCursor {
  #at = 0;

  constructor(private readonly buffer: Buffer) {}

  get left(): number {
    return this.buffer.length - this.#at;
  }

  /** @param size of the number, bytes */
  number(size: 1 | 2 | 3): number {
    return this.bytes(size).readUIntBE(0, size);
  }

  bytes(count: number): Buffer {
    if (count > this.left) throw new MalformedError('has a length that is wrong');
    this.#at += count;
    return this.buffer.subarray(this.#at - count, this.#at);
  }

  /** @param size of its length, bytes */
  vector(size: 1 | 2 | 3): Buffer {
    return this.bytes(this.number(size));
  }

  requireEnd(): void {
    if (this.left > 0) throw new MalformedError('has something behind its end');
  }
}
