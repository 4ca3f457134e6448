import { BottleRuntimeError } from '../../../domain/base/errors.js';
import type { LogLine, LogPosition } from '../../../domain/bottle/bottle-runtime.js';
import { normaliseEngineTime } from './engine-time.js';
import type { Frame } from './stream-frames.js';

/** A longer line is cut here, and says by how much; what an agent prints must not fill the worker's memory. */
export const MAX_LINE_BYTES = 64 * 1024;
const LONGEST_STAMP = 40;
const NEWLINE = 0x0a;
const SPACE = 0x20;

interface Pending {
  readonly at: string;
  readonly parts: Buffer[];
  bytes: number;
  dropped: number;
}

/**
 * Puts the records of a log together to lines. The log driver splits a line of more than 16 KiB into records without a
 * newline, each with a time stamp in front; the line has the first one's. Lines up to `since` are not passed on.
 */
export class LogLineAssembler {
  readonly #pending = new Map<Frame['stream'], Pending>();

  /** @param since normalised times */
  constructor(
    private readonly since: LogPosition,
    private readonly onLine: (line: LogLine) => void,
  ) {}

  push(frame: Frame): void {
    const space = frame.payload.subarray(0, LONGEST_STAMP).indexOf(SPACE);
    const at = space < 0 ? undefined : normaliseEngineTime(frame.payload.toString('latin1', 0, space));
    if (at === undefined)
      throw new BottleRuntimeError('the engine sent a log record without a time stamp', false);
    let text = frame.payload.subarray(space + 1);
    const complete = text.at(-1) === NEWLINE;
    if (complete) text = text.subarray(0, -1);

    const line = this.#pending.get(frame.stream) ?? { at, parts: [], bytes: 0, dropped: 0 };
    const kept = text.subarray(0, Math.max(0, MAX_LINE_BYTES - line.bytes));
    // A copy: the slice would keep the whole chunk it came in alive.
    if (kept.length > 0) line.parts.push(complete ? kept : Buffer.from(kept));
    line.bytes += kept.length;
    line.dropped += text.length - kept.length;
    if (complete) this.#emit(frame.stream, line);
    else this.#pending.set(frame.stream, line);
  }

  /** What had no newline when the log ended. */
  flush(): void {
    for (const [stream, line] of [...this.#pending]) this.#emit(stream, line);
  }

  #emit(stream: Frame['stream'], line: Pending): void {
    this.#pending.delete(stream);
    if (line.at <= (this.since[stream] ?? '')) return;
    const mark = line.dropped === 0 ? '' : ` [${String(line.dropped)} more bytes of this line are not kept]`;
    this.onLine({ stream, at: line.at, text: Buffer.concat(line.parts).toString('utf8') + mark });
  }
}
