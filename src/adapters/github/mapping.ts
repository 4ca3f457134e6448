import type { InlineComment, Issue, PullRequest } from '../../domain/issue.js';
import { asObject, flagOf, integerOf, textOf, textOrEmpty, textOrNull } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import { toSubject, toUser } from '../forge-http/mapping.js';

export function toIssue(value: unknown): Issue {
  const raw = asObject(value, 'issue');
  return {
    ...toSubject(raw),
    // An issue on GitHub names no branch.
    ref: '',
    locked: flagOf(raw, 'locked'),
    isPull: typeof raw['pull_request'] === 'object' && raw['pull_request'] !== null,
  };
}

/** From a pull request as it is read or listed: `merged` is only in the one, `merged_at` in both. */
export function toPullRequest(value: unknown): PullRequest {
  const raw = asObject(value, 'pull request');
  const head = asObject(raw['head'], 'head');
  const base = asObject(raw['base'], 'base');
  return {
    ...toSubject(raw),
    merged: textOrNull(raw, 'merged_at') !== null,
    draft: flagOf(raw, 'draft'),
    head: { ref: textOf(head, 'ref'), sha: textOf(head, 'sha'), fromFork: isForeign(head, base) },
    base: { ref: textOf(base, 'ref'), sha: textOf(base, 'sha') },
  };
}

/** The commits come from another repository, which is `null` when that is gone. */
function isForeign(head: JsonObject, base: JsonObject): boolean {
  if (head['repo'] === null || head['repo'] === undefined) return true;
  return integerOf(asObject(head['repo'], 'repo'), 'id') !== integerOf(asObject(base['repo'], 'repo'), 'id');
}

/** `line` is null once the commented lines are gone, and for a comment on a whole file, which then stands at its top. */
export function toInlineComment(raw: JsonObject): InlineComment {
  const line = [raw['line'], raw['original_line']].find((value) => typeof value === 'number');
  return {
    id: integerOf(raw, 'id'),
    author: toUser(raw['user']),
    path: textOf(raw, 'path'),
    line: line ?? 1,
    body: textOrEmpty(raw, 'body'),
    updatedAt: textOf(raw, 'updated_at'),
  };
}
