import { isRecord, recordIn } from '../../domain/base/is-record.js';
import type {
  AgentEvent,
  AgentOutcome,
  OutputStream,
  StreamReader,
  StreamSummary,
} from '../../domain/agent/agent-stream.js';
import { uncutJson } from './cut-json.js';

/** A line longer than this is output, not an event. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2_000;
/** Of what a tool was asked and answered. */
const MAX_SHORT_CHARACTERS = 2_000;
/** Lines of the bottle's own on the agent's standard error. */
const NOT_THE_AGENTS = /^(?:bottle|setup): /;

export type JsonEvent = Readonly<Record<string, unknown>>;

export interface JsonLinesDialect {
  /** What an event says, in order. */
  readonly eventsOf: (event: JsonEvent) => readonly AgentEvent[];
  /** What a line of plain text means, where it means something: some errors are not told as events. */
  readonly outcomeOfText: (line: string) => AgentOutcome | undefined;
  readonly tokensOf: 'turn' | 'session';
  readonly costOf: 'turn' | 'session';
}

/** Reads a CLI that prints one JSON object a line; what is not one is plain text. */
export class JsonLinesReader implements StreamReader {
  #sessionId: string | null = null;
  #error = '';
  #plainText = '';
  #hasEvents = false;
  #hasOutput = false;
  #told: AgentOutcome | undefined;
  #end: AgentOutcome | undefined;
  #reported: StreamSummary['reported'] = null;
  #toolCalls = 0;
  #denials = 0;

  constructor(private readonly dialect: JsonLinesDialect) {}

  read(stream: OutputStream, line: string): readonly AgentEvent[] {
    if (NOT_THE_AGENTS.test(line) || line.trim() === '') return [];
    this.#hasOutput = true;
    const event = stream === 'stdout' ? (jsonEvent(line) ?? jsonEvent(uncutJson(line) ?? '')) : undefined;
    if (event === undefined) {
      const text = line.slice(0, MAX_ERROR_CHARACTERS);
      this.#told = this.dialect.outcomeOfText(text) ?? this.#told;
      this.#plainText = text;
      return [];
    }
    this.#hasEvents = true;
    const events = this.dialect.eventsOf(event);
    for (const one of events) this.#note(one);
    return events;
  }

  summary(exitCode: number, stopped: boolean): StreamSummary {
    const outcome = this.#outcome(exitCode, stopped);
    const isFine = outcome === 'finished' || outcome === 'stopped';
    return {
      outcome,
      error: (this.#error !== '' || isFine ? this.#error : this.#plainText).slice(0, MAX_ERROR_CHARACTERS),
      sessionId: this.#sessionId,
      reported: this.#reported,
      toolCalls: this.#toolCalls,
      denials: this.#denials,
    };
  }

  #outcome(exitCode: number, stopped: boolean): AgentOutcome {
    if (this.#told !== undefined && this.#end !== 'finished') return this.#told;
    if (this.#end === 'finished' && exitCode === 0) return 'finished';
    if (stopped) return 'stopped';
    if (!this.#hasOutput) return 'empty';
    if (this.#end === 'finished') return 'crashed';
    if (this.#end !== undefined) return this.#end;
    if (!this.#hasEvents) return 'not_understood';
    return exitCode > 128 ? 'crashed' : 'cut';
  }

  #note(event: AgentEvent): void {
    switch (event.kind) {
      case 'session':
        this.#sessionId = event.id;
        return;
      case 'error':
        this.#error = event.text;
        return;
      case 'usage': {
        const { tokensOf, costOf } = this.dialect;
        this.#reported = { use: event.reported, tokensOf, costOf };
        return;
      }
      case 'end':
        this.#end = event.outcome;
        // What went wrong before was got over.
        if (event.outcome === 'finished') this.#error = '';
        else if (event.text !== '') this.#error = event.text;
        return;
      case 'tool_call':
        this.#toolCalls += 1;
        return;
      case 'denied':
        this.#denials += 1;
        return;
      case 'text':
      case 'thinking':
      case 'tool_result':
      case 'progress':
        return;
    }
  }
}

/** The object in a line; `undefined` for anything else. */
export function jsonEvent(line: string): JsonEvent | undefined {
  return line.length > MAX_EVENT_CHARACTERS || !line.startsWith('{') ? undefined : recordIn(line);
}

/** Of an untrusted field: a text or nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Of an untrusted field: the texts of a list of blocks, a line each. */
export function textsIn(blocks: unknown): string {
  return objectsOf(blocks)
    .map(({ text }) => textOf(text))
    .filter((text) => text !== '')
    .join('\n');
}

/** Of an untrusted field: the objects of a list. */
export function objectsOf(value: unknown): readonly JsonEvent[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Of an untrusted field: a text or a value's JSON, as far as a log needs it. */
export function inShort(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : jsonOf(value);
  return text.length > MAX_SHORT_CHARACTERS ? `${text.slice(0, MAX_SHORT_CHARACTERS)}…` : text;
}

/** What was read may be nested deeper than can be written. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}
