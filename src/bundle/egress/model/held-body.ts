import type { Writable } from 'node:stream';
import type { Hold } from './body-room.js';

/** A request's body as it was judged, in its place in the room until it has been sent: the answer can take minutes. */
export class HeldBody {
  readonly length: number;
  #bytes: Buffer | null;

  constructor(
    bytes: Buffer,
    private readonly hold: Hold,
  ) {
    this.length = bytes.length;
    this.#bytes = bytes;
  }

  /** Once. */
  endWith(outgoing: Writable): void {
    outgoing.once('finish', () => {
      this.hold.give();
    });
    outgoing.end(this.#bytes);
    this.#bytes = null;
  }
}
