/** Larger than any event: the last one of an answer repeats instructions, tools and output. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DATA = 'data:';

/**
 * Reads the events of a stream (text/event-stream) beside it, in whatever chunks it comes: the data of each, its lines
 * joined. An event that is too large is left out.
 */
export class EventStream {
  #line: Buffer[] = [];
  #lineBytes = 0;
  #data: string[] = [];
  #dataBytes = 0;
  #isTooLarge = false;

  constructor(private readonly onData: (data: string) => void) {}

  feed(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      if (end === -1) break;
      this.#take(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    // A copy: what is kept must not hold the chunk that it came in.
    if (from < chunk.length) this.#take(Buffer.from(chunk.subarray(from)));
  }

  #take(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes + this.#dataBytes > MAX_EVENT_BYTES) {
      this.#isTooLarge = true;
      this.#line = [];
      this.#data = [];
    }
    if (!this.#isTooLarge) this.#line.push(part);
  }

  #endLine(): void {
    const whole = this.#line.length === 1 ? (this.#line[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#line);
    const isEmpty = this.#lineBytes === 0 || (this.#lineBytes === 1 && whole[0] === CARRIAGE_RETURN);
    this.#line = [];
    this.#lineBytes = 0;
    if (isEmpty) {
      this.#endEvent();
      return;
    }
    if (this.#isTooLarge) return;
    const text = whole.toString('utf8').replace(/\r$/, '');
    if (!text.startsWith(DATA)) return;
    this.#data.push(text.slice(DATA.length).replace(/^ /, ''));
    this.#dataBytes += whole.length;
  }

  #endEvent(): void {
    const data = this.#data;
    const isWhole = !this.#isTooLarge && data.length > 0;
    this.#data = [];
    this.#dataBytes = 0;
    this.#isTooLarge = false;
    if (isWhole) this.onData(data.join('\n'));
  }
}
