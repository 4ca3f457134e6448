import type { ModelRequest } from './model-request.js';
import type { Answer, JsonObject, Usage } from './script.js';

/** One event of a stream; the name stands in the data too, as `type`. */
export type StreamEvent = JsonObject & { readonly type: string };

/** How an API says what the script says. */
export interface Dialect {
  /** Path of the call that answers with the model's words. */
  readonly path: string;
  /** @param call counts the answers, so that ids differ */
  events(answer: Answer, request: ModelRequest, call: number): StreamEvent[];
  /** For a request without a stream. */
  whole(answer: Answer, request: ModelRequest, call: number): JsonObject;
  errorEvent(type: string, message: string): StreamEvent;
}

export const USAGE: Usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10 };
