/** What the stub of a model answers, request by request, in words that both of its dialects share. */
import type { ModelRequest } from './model-request.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ToolUse {
  /** As the request calls it, or the end of that after `__`: MCP tools have their server's name before theirs. */
  readonly name: string;
  /** A text is for a tool without a schema (OpenAI's custom tools). */
  readonly input: JsonObject | string;
}

/** Tokens; each kind by itself, whatever the dialect adds up. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly thinking?: string;
  readonly text?: string;
  readonly tools?: readonly ToolUse[];
  readonly usage?: Partial<Usage>;
  /** Before each event of a stream, milliseconds. */
  readonly pauseMs?: number;
  /** Before the answer begins, milliseconds. */
  readonly waitMs?: number;
}

export type Fault =
  /** Refused, with that body. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: JsonObject | string;
    }
  /** So many events of a stream and then: the connection is reset, the stream ends, or nothing more comes. */
  | {
      readonly kind: 'broken';
      readonly answer: Answer;
      readonly events: number;
      readonly then: 'reset' | 'end' | 'silence';
    }
  /** So many events of a stream and then the dialect's event for an error. */
  | {
      readonly kind: 'error_event';
      readonly answer: Answer;
      readonly events: number;
      readonly type: string;
      readonly message: string;
    }
  /** The request is read and never answered. */
  | { readonly kind: 'hang' }
  /** A good status and this in place of a body; the type of a stream. */
  | { readonly kind: 'garbage'; readonly body: string };

export interface Step {
  /** Throws when this request is not the one that is due. It is then refused, and the test is told by `check`. */
  readonly expect?: (request: ModelRequest) => void;
  readonly reply: Answer | Fault | ((request: ModelRequest) => Answer | Fault);
}

export function say(text: string, more: Partial<Answer> = {}): Answer {
  return { ...more, kind: 'answer', text };
}

export function use(name: string, input: JsonObject | string, more: Partial<Answer> = {}): Answer {
  return { ...more, kind: 'answer', tools: [{ name, input }] };
}

export function status(
  code: number,
  body: JsonObject | string,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return { kind: 'status', status: code, headers, body };
}
