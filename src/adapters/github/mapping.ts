import type {
  Comment,
  ForgeUser,
  InlineComment,
  Issue,
  PullRequest,
  Repository,
} from '../../domain/issue.js';
import {
  asList,
  asObject,
  flagOf,
  integerOf,
  textOf,
  textOrEmpty,
  textOrNull,
  UnexpectedShapeError,
} from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';

/** GitHub's name for a deleted account, where it says `null`. No id of an account is negative. */
const GHOST: ForgeUser = { id: -1, login: 'ghost' };

export function toUser(value: unknown): ForgeUser {
  if (value === null || value === undefined) return GHOST;
  const user = asObject(value, 'user');
  return { id: integerOf(user, 'id'), login: textOf(user, 'login') };
}

function toState(raw: JsonObject): 'open' | 'closed' {
  const state = textOf(raw, 'state');
  if (state !== 'open' && state !== 'closed') throw new UnexpectedShapeError('state');
  return state;
}

/** The API documents labels of an issue as objects or bare names. */
function toLabels(raw: JsonObject): string[] {
  const labels = raw['labels'];
  if (!Array.isArray(labels)) throw new UnexpectedShapeError('labels');
  return labels.map((label: unknown) =>
    typeof label === 'string' ? label : textOf(asObject(label, 'label'), 'name'),
  );
}

/** What issues and pull requests have in common. */
function toSubject(raw: JsonObject) {
  return {
    number: integerOf(raw, 'number'),
    title: textOf(raw, 'title'),
    body: textOrEmpty(raw, 'body'),
    state: toState(raw),
    labels: toLabels(raw),
    assignees: asList(raw['assignees'], 'assignees').map(toUser),
    author: toUser(raw['user']),
    url: textOf(raw, 'html_url'),
    updatedAt: textOf(raw, 'updated_at'),
    closedAt: textOrNull(raw, 'closed_at'),
  };
}

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

export function toComment(value: unknown): Comment {
  const raw = asObject(value, 'comment');
  return {
    id: integerOf(raw, 'id'),
    author: toUser(raw['user']),
    body: textOrEmpty(raw, 'body'),
    url: textOrEmpty(raw, 'html_url'),
    createdAt: textOf(raw, 'created_at'),
    updatedAt: textOf(raw, 'updated_at'),
  };
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

export function toRepository(value: unknown): Repository {
  const raw = asObject(value, 'repository');
  const rights = asObject(raw['permissions'], 'permissions');
  return {
    id: integerOf(raw, 'id'),
    fullName: textOf(raw, 'full_name'),
    defaultBranch: textOf(raw, 'default_branch'),
    cloneUrl: textOf(raw, 'clone_url'),
    permissions: {
      pull: flagOf(rights, 'pull'),
      push: flagOf(rights, 'push'),
      admin: flagOf(rights, 'admin'),
    },
  };
}
