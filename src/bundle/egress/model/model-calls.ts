/** The calls of a model API that are understood, by their paths. */
import type { ModelApi } from '../../../domain/egress/route.js';

export type ModelCall =
  /** An answer of the model, which costs. */
  | 'answer'
  /** A summary of a conversation, which costs too, and takes no other keys. */
  | 'compact'
  /** Only counts what a request would have. */
  | 'count';

const CALLS: Readonly<Record<ModelApi, readonly (readonly [path: RegExp, call: ModelCall])[]>> = {
  'anthropic-messages': [
    [/\/messages\/count_tokens$/, 'count'],
    [/\/messages$/, 'answer'],
  ],
  'openai-responses': [
    [/\/responses\/input_tokens$/, 'count'],
    [/\/responses\/compact$/, 'compact'],
    [/\/responses$/, 'answer'],
  ],
  'openai-chat': [[/\/chat\/completions$/, 'answer']],
};

/** `undefined` for a call whose body nobody here can judge. */
export function callOf(api: ModelApi, path: string): ModelCall | undefined {
  return CALLS[api].find(([pattern]) => pattern.test(path))?.[1];
}
