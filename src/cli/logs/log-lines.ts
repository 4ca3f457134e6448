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
  #rest = Buffer.alloc(0);

  *push(piece: Uint8Array): Generator<string> {
    const bytes = Buffer.concat([this.#rest, piece]);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      yield bytes.toString('utf8', from, at);
      from = at + 1;
    }
    this.#rest = bytes.subarray(from);
    // Whoever wrote that was not the worker: it is shown in pieces rather than held.
    if (this.#rest.length > MAX_LINE_BYTES) yield* this.rest();
  }

  /** What has no newline yet. */
  *rest(): Generator<string> {
    if (this.#rest.length > 0) yield this.#rest.toString('utf8');
    this.#rest = Buffer.alloc(0);
  }
}
