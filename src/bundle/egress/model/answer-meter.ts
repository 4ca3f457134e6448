import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import type { ModelApi } from '../../../domain/egress/route.js';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import { AnthropicAnswer } from './anthropic-answer.js';
import { NO_TOKENS, type AnswerReader } from './answer-reader.js';
import { EventStream } from './event-stream.js';
import { troubleOf } from './failed-answer.js';
import { objectOf } from './json-body.js';
import type { ModelMeter } from './model-meter.js';
import { ChatAnswer, ResponsesAnswer } from './openai-answer.js';

export interface AnswerMeterOptions {
  readonly api: ModelApi;
  /** Those that may have written it. */
  readonly models: readonly string[];
  readonly factor: number;
  /** Bytes of the request's body. */
  readonly requestBytes: number;
  readonly meter: ModelMeter;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type AnswerEnd =
  /** To its end. */
  | 'whole'
  /** The client left, and the answer could not be read to its end without it. */
  | 'left'
  /** The provider left, before the answer or in the middle of it. */
  | 'broken';

/** What an answer cost, for its line in the log. */
export interface AnswerCost extends AnswerUse {
  readonly microUsd: number;
}

/** Of an answer in one piece; a longer one is estimated. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Of an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** A provider that has said nothing for so long is waited for in vain: CLIs leave it after five minutes or later. */
const SILENT_MS = 4 * 60_000;
/** Where nothing was said. */
const BYTES_PER_INPUT_TOKEN = 4;
const BYTES_PER_OUTPUT_TOKEN = 3;

/**
 * Reads one answer as it passes, without holding it up. What is cut off is counted by what the provider had said until
 * then, and what it had not said is estimated from the bytes that went and came.
 */
export class AnswerMeter {
  /** Resolves when it is counted. */
  readonly ended: Promise<void>;
  #onEnded = (): void => undefined;
  readonly #options: AnswerMeterOptions;
  readonly #reader: AnswerReader;
  readonly #events: EventStream;
  #head: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined;
  #isStream = false;
  #kept: Buffer[] = [];
  #bytes = 0;
  #movedAt: number;
  #cost: AnswerCost | undefined;

  constructor(options: AnswerMeterOptions) {
    this.#options = options;
    this.#movedAt = options.now();
    this.ended = new Promise((resolve) => (this.#onEnded = resolve));
    this.#reader = readerOf(options.api, options.now);
    this.#events = new EventStream((data) => {
      const event = objectOf(data);
      if (event !== undefined) this.#reader.event(event);
    });
  }

  /** When its head is here. */
  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers };
    this.#isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
    this.#movedAt = this.#options.now();
  }

  feed(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#movedAt = this.#options.now();
    if (this.isGood && this.#isStream) this.#events.feed(chunk);
    else if (this.#bytes <= (this.isGood ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES))
      this.#kept.push(Buffer.from(chunk));
    else if (this.isGood) this.#kept = [];
  }

  /** The first one counts. @returns what it cost */
  end(how: AnswerEnd): AnswerCost {
    this.#cost ??= this.#count(how);
    this.#onEnded();
    return this.#cost;
  }

  #count(how: AnswerEnd): AnswerCost {
    const { api, models, factor, meter } = this.#options;
    const trouble = this.#troubleOf(how);
    const use = this.#useOf(how);
    const microUsd = meter.add({ api, models, factor, use, trouble });
    return { ...use, microUsd };
  }

  /** It is one of a model, as far as its head says. */
  get isGood(): boolean {
    return this.#hasGoodStatus && !this.#isPage;
  }

  get #hasGoodStatus(): boolean {
    return this.#head !== undefined && this.#head.status >= 200 && this.#head.status < 300;
  }

  /** Of something that stands before the provider, such as a login. */
  get #isPage(): boolean {
    return /^text\/html\b/i.test(this.#head?.headers['content-type'] ?? '');
  }

  /** A stream that ends without its last word has been cut; others than OpenAI leave that word out of chats. */
  #troubleOf(how: AnswerEnd): ModelTrouble | null | 'unknown' {
    const { api, now } = this.#options;
    if (this.#hasGoodStatus && this.#isPage) return { kind: 'overloaded', status: 0 };
    if (this.#head !== undefined && !this.isGood)
      return troubleOf(api, { ...this.#head, body: Buffer.concat(this.#kept) }, now());
    if (this.isGood && !this.#isStream) this.#readWhole();
    if (this.#reader.trouble !== null) return this.#reader.trouble;
    if (this.#reader.isFinal) return null;
    const isSilent = how === 'left' && now() - this.#movedAt >= SILENT_MS;
    const isCut = how === 'broken' || (how === 'whole' && this.#isStream && api !== 'openai-chat');
    if (isSilent || isCut) return { kind: 'overloaded', status: 0 };
    return how === 'left' ? 'unknown' : null;
  }

  #readWhole(): void {
    const body = objectOf(Buffer.concat(this.#kept).toString('utf8'));
    if (body !== undefined) this.#reader.whole(body);
  }

  #useOf(how: AnswerEnd): AnswerUse {
    const { use, isFinal, pieces, trouble } = this.#reader;
    const isAsked = use !== null && use.inputTokens + use.cacheReadTokens + use.cacheWriteTokens > 0;
    // A good answer took something: where a gateway counts nothing, its figures are none.
    const isSaid = isAsked && (use.outputTokens > 0 || pieces.count === 0);
    if (use !== null && isFinal && (isSaid || trouble !== null)) return use;
    // Nothing was worked on: the provider refused it, or was never reached.
    if (this.#head === undefined ? how !== 'left' : !this.isGood) return NO_TOKENS;
    const asked = isAsked
      ? use
      : { ...NO_TOKENS, inputTokens: Math.ceil(this.#options.requestBytes / BYTES_PER_INPUT_TOKEN) };
    const bytes = this.#isStream ? pieces.bytes : this.#bytes;
    const written = Math.max(pieces.count, Math.ceil(bytes / BYTES_PER_OUTPUT_TOKEN));
    return { ...asked, outputTokens: Math.max(asked.outputTokens, written) };
  }
}

function readerOf(api: ModelApi, now: () => number): AnswerReader {
  switch (api) {
    case 'anthropic-messages':
      return new AnthropicAnswer();
    case 'openai-responses':
      return new ResponsesAnswer(now);
    case 'openai-chat':
      return new ChatAnswer(now);
  }
}
