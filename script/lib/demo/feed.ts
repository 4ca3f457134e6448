/** What is seen, printed in the order in which it happened: sources are read at different speeds. */
import { escapeTerminal } from '../../../src/domain/text/escape.js';

/** Who did it, or where it was seen. */
export type Source = 'set-up' | 'alice' | 'agent' | 'forge' | 'sidecar' | 'webhook' | 'workflow' | 'engine';

export interface Happening {
  /** Epoch milliseconds, the source's own clock where it has one. */
  readonly at: number;
  readonly source: Source;
  /** Escaped here. */
  readonly text: string;
  /** One of the demo's steps, not a detail. */
  readonly step: boolean;
}

export interface FeedOptions {
  readonly out: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds that times are told from. */
  readonly startedAt: number;
}

/** A line is held this long for earlier ones that are still on their way: logs are written four times a second. */
const SETTLE_MS = 750;
const TICK_MS = 50;
const SOURCE_WIDTH = 9;
const TEXT_CHARACTERS = 200;

export class Feed {
  private held: Happening[] = [];
  private readonly timer: NodeJS.Timeout;
  /** Marks and other drawing: only for somebody who looks. */
  private readonly tty: boolean;
  private readonly colour: boolean;

  constructor(private readonly options: FeedOptions) {
    this.tty = options.out.isTTY === true;
    // https://no-color.org: any value but the empty one.
    this.colour = this.tty && (options.env['NO_COLOR'] ?? '') === '' && options.env['TERM'] !== 'dumb';
    this.timer = setInterval(() => {
      this.print(Date.now() - SETTLE_MS);
    }, TICK_MS);
  }

  /** A happening, which appears after the earlier ones. */
  add(happening: Happening): void {
    this.held.push(happening);
  }

  /** Prints what is held. */
  flush(): void {
    this.print(Infinity);
  }

  /** A line of the demo's own, after everything that is held. The text is printed as it stands. */
  line(text = ''): void {
    this.flush();
    this.options.out.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line();
    this.line(this.style('1', text));
  }

  good(text: string): void {
    this.line(this.tty ? `${this.style('32', '✓')} ${text}` : text);
  }

  bad(text: string): void {
    this.line(this.tty ? `${this.style('31', '✗')} ${text}` : text);
  }

  /** Milliseconds since the beginning, as in every line. */
  clock(at: number): string {
    return seconds(at - this.options.startedAt).padStart(9);
  }

  close(): void {
    this.flush();
    clearInterval(this.timer);
  }

  private print(upTo: number): void {
    const due = this.held.filter(({ at }) => at <= upTo);
    if (due.length === 0) return;
    this.held = this.held.filter(({ at }) => at > upTo);
    due.sort((a, b) => a.at - b.at);
    for (const { at, source, text, step } of due) {
      const mark = this.tty ? (step ? this.style('32', '✓') : ' ') : '';
      const told = `${source.padEnd(SOURCE_WIDTH)} ${step ? '' : '  '}${shortened(escapeTerminal(text))}`;
      this.options.out.write(
        `${this.clock(at)}  ${mark}${mark === '' ? '' : ' '}${step ? told : this.style('2', told)}\n`,
      );
    }
  }

  private style(code: string, text: string): string {
    return this.colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function shortened(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS - 1)}…`;
}
