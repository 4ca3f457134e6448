/** How many bytes of requests are held in memory, of all connections together. */
export class BodyRoom {
  #left: number;

  /** @param onTaken told of the bytes for which there was room */
  constructor(
    bytes: number,
    private readonly onTaken: (bytes: number) => void,
  ) {
    this.#left = bytes;
  }

  /** @returns whether there was room */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    this.onTaken(bytes);
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** What one request holds of it. */
export class Hold {
  #bytes = 0;

  constructor(private readonly room: BodyRoom) {}

  /** @returns whether there was room */
  take(bytes: number): boolean {
    if (!this.room.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Without a number, all that it holds. */
  give(bytes = this.#bytes): void {
    this.room.give(bytes);
    this.#bytes -= bytes;
  }
}
