import type { ModelApi } from '../../../domain/egress/route.js';

/** Anthropic's names for statuses; the SDKs show them. */
const ANTHROPIC: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** A refusal in the provider's own form, so that its clients show what it says. */
export function vendorError(api: ModelApi, status: number, message: string, code: string): unknown {
  return api === 'anthropic-messages'
    ? { type: 'error', error: { type: ANTHROPIC[status] ?? 'invalid_request_error', message } }
    : { error: { message, type: 'invalid_request_error', param: null, code } };
}
