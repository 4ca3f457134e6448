import type { OutputStream } from '../../domain/agent/agent-stream.js';

/** A line of `agent.log`. */
export interface LoggedLine {
  /** The engine's time; `null` for what the host itself says. */
  readonly at: string | null;
  readonly stream: OutputStream | 'host';
  readonly text: string;
}

const LINE = /^(?:(\d{4}-\d\d-\d\dT[0-9:.]{1,30}Z) (stdout|stderr)|- (host)) (.*)$/s;

/** What is no such line is output of an unknown time. */
export function parseLoggedLine(line: string): LoggedLine {
  const [, at, stream, host, text] = LINE.exec(line) ?? [];
  if (host !== undefined) return { at: null, stream: 'host', text: text ?? '' };
  return { at: at ?? null, stream: stream === 'stderr' ? 'stderr' : 'stdout', text: text ?? line };
}

/** Far above what the worker lets a line have. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines of a file that comes in pieces, cut anywhere. */
export class LineSplitter {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  *push(piece: Uint8Array): Generator<string> {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at));
      yield this.#take();
      from = at + 1;
    }
    this.#keep(piece.subarray(from));
    // Whoever wrote that was not the worker: it is shown in pieces rather than held.
    if (this.#bytes > MAX_LINE_BYTES) yield this.#take();
  }

  /** What has no newline yet. */
  *rest(): Generator<string> {
    if (this.#bytes > 0) yield this.#take();
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
