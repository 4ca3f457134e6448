/** What an answer with a bad status means. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ModelApi } from '../../../domain/egress/route.js';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import { objectIn } from './answer-reader.js';
import { objectOf } from './json-body.js';
import { openaiTrouble } from './openai-trouble.js';
import { one, retryAfter, timeOf, troubleByStatus, troubleUntil } from './waiting-time.js';

/** Each with what is left of it, when it is full again: Anthropic, "Rate limits", "Response headers". */
const ANTHROPIC_LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const;

export interface FailedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As much as was kept of it. */
  readonly body: Buffer;
}

export function troubleOf(api: ModelApi, answer: FailedAnswer, now: number): ModelTrouble {
  const { status, headers } = answer;
  if (api !== 'anthropic-messages')
    return openaiTrouble(objectIn(objectOf(answer.body.toString('utf8')), 'error'), answer, now);
  if (status === 429) return troubleUntil(anthropicTimes(headers, now), now);
  return troubleByStatus(status);
}

/** Who uses a subscription is told by the `unified` headers which of its windows is full, and until when. */
function anthropicTimes(headers: IncomingHttpHeaders, now: number): (number | undefined)[] {
  const unified = one(headers['anthropic-ratelimit-unified-reset']);
  const verdict = one(headers['anthropic-ratelimit-unified-status']) ?? 'rejected';
  const resets = ANTHROPIC_LIMITS.map((what) =>
    one(headers[`anthropic-ratelimit-${what}-remaining`]) === '0'
      ? timeOf(one(headers[`anthropic-ratelimit-${what}-reset`]))
      : undefined,
  );
  return [verdict === 'rejected' ? timeOf(unified) : undefined, retryAfter(headers, now), ...resets];
}
