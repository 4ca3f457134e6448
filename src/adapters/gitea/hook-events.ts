import type { Hook } from '../../domain/forge/forge-admin.js';
import { asObject, flagOf, integerOf, textOf, textOrEmpty } from './decode.js';
import type { JsonObject } from './decode.js';

/**
 * Kinds whose name in an edit stands for a whole group of kinds, and the name that means the one alone
 * (`updateHookEvents` in routers/api/v1/utils/hook.go).
 */
const ALONE: Readonly<Record<string, string>> = { issues: 'issues_only', pull_request: 'pull_request_only' };

/** Reviews are switched on and off together; some versions list the three kinds, others the group. */
const REVIEWS = [
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
];
const REVIEW_GROUP = 'pull_request_review';

/** Names as a webhook's creation or edit takes them. */
export function eventsForEdit(events: readonly string[]): string[] {
  return events.map((event) => ALONE[event] ?? event);
}

function eventsOf(listed: unknown): string[] {
  const names = Array.isArray(listed)
    ? listed.filter((name): name is string => typeof name === 'string')
    : [];
  const grouped = names.map((name) => (REVIEWS.includes(name) ? REVIEW_GROUP : name));
  return [...new Set(grouped)].sort();
}

export function toHook(raw: JsonObject): Hook {
  const config = asObject(raw['config'], 'config');
  return {
    id: integerOf(raw, 'id'),
    type: textOf(raw, 'type'),
    name: typeof raw['name'] === 'string' ? raw['name'] : null,
    url: textOf(config, 'url'),
    contentType: textOrEmpty(config, 'content_type'),
    events: eventsOf(raw['events']),
    active: flagOf(raw, 'active'),
    authorization: textOrEmpty(raw, 'authorization_header'),
    branchFilter: textOrEmpty(raw, 'branch_filter'),
  };
}
