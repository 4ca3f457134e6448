import { isRecord } from '../../domain/base/is-record.js';
import type {
  CheckStatus,
  Comment,
  ForgeUser,
  InlineComment,
  Issue,
  PullRequest,
  PullRequestHead,
  Repository,
} from '../../domain/forge/issue.js';
import {
  asList,
  asObject,
  flagOf,
  integerOf,
  textOf,
  textOrEmpty,
  textOrNull,
  UnexpectedShapeError,
} from './decode.js';
import type { JsonObject } from './decode.js';

/** A deleted account. No id of an account is negative. */
const GHOST: ForgeUser = { id: -1, login: 'ghost' };

export function toUser(value: unknown): ForgeUser {
  if (value === null || value === undefined) return GHOST;
  const user = asObject(value, 'user');
  return { id: integerOf(user, 'id'), login: textOf(user, 'login') };
}

/** What issues and pull requests have in common. */
function toSubject(raw: JsonObject) {
  return {
    number: integerOf(raw, 'number'),
    title: textOf(raw, 'title'),
    body: textOrEmpty(raw, 'body'),
    state: toState(raw),
    labels: asList(raw['labels'], 'labels').map((label) => textOf(label, 'name')),
    assignees: asList(raw['assignees'], 'assignees').map(toUser),
    author: toUser(raw['user']),
    url: textOf(raw, 'html_url'),
    updatedAt: textOf(raw, 'updated_at'),
    closedAt: textOrNull(raw, 'closed_at'),
  };
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

export function toRepository(value: unknown): Repository {
  const raw = asObject(value, 'repository');
  const rights = asObject(raw['permissions'], 'permissions');
  return {
    id: integerOf(raw, 'id'),
    defaultBranch: textOf(raw, 'default_branch'),
    permissions: { push: flagOf(rights, 'push'), admin: flagOf(rights, 'admin') },
  };
}

function toState(raw: JsonObject): 'open' | 'closed' {
  const state = textOf(raw, 'state');
  if (state !== 'open' && state !== 'closed') throw new UnexpectedShapeError('state');
  return state;
}

export function toIssue(value: unknown): Issue {
  const raw = asObject(value, 'issue');
  return {
    ...toSubject(raw),
    // The web page stores `refs/heads/x`, the API what it was given.
    ref: textOrEmpty(raw, 'ref').replace(/^refs\/(?:heads|tags)\//, ''),
    createdAt: textOf(raw, 'created_at'),
    locked: flagOf(raw, 'is_locked'),
    isPull: isRecord(raw['pull_request']),
    ...contentVersion(raw),
  };
}

/** Gitea 1.26 and later. */
function contentVersion(raw: JsonObject): Pick<Issue, 'contentVersion'> {
  return typeof raw['content_version'] === 'number'
    ? { contentVersion: integerOf(raw, 'content_version') }
    : {};
}

export function toPullRequest(value: unknown): PullRequest {
  const raw = asObject(value, 'pull request');
  const head = asObject(raw['head'], 'head');
  const base = asObject(raw['base'], 'base');
  return {
    ...toSubject(raw),
    merged: flagOf(raw, 'merged'),
    draft: flagOf(raw, 'draft'),
    head: {
      ref: textOf(head, 'ref'),
      sha: textOrEmpty(head, 'sha'),
      fromFork: isForeign(head, base),
      ...forkOwnerOf(head, base),
    },
    base: { ref: textOf(base, 'ref'), sha: textOrEmpty(base, 'sha') },
  };
}

/**
 * The head's commits come from somebody who need not have write access here: another repository (`repo_id` is -1 when
 * the fork is gone), or Gitea's AGit flow, where everyone who can read pushes to `refs/for/…` of this one (no label).
 */
function isForeign(head: JsonObject, base: JsonObject): boolean {
  return integerOf(head, 'repo_id') !== integerOf(base, 'repo_id') || textOrEmpty(head, 'label') === '';
}

/** AGit's heads are in nobody's fork. */
function forkOwnerOf(head: JsonObject, base: JsonObject): Pick<PullRequestHead, 'forkOwner'> {
  const { repo } = head;
  if (integerOf(head, 'repo_id') === integerOf(base, 'repo_id') || !isRecord(repo)) return {};
  return { forkOwner: toUser(repo['owner']) };
}

/** `position` is the line in the new file, `original_position` in the old one; one of them is 0. */
export function toInlineComment(raw: JsonObject): InlineComment {
  const line = integerOf(raw, 'position');
  return {
    id: integerOf(raw, 'id'),
    author: toUser(raw['user']),
    updatedAt: textOf(raw, 'updated_at'),
    path: textOf(raw, 'path'),
    line: line > 0 ? line : integerOf(raw, 'original_position'),
    body: textOrEmpty(raw, 'body'),
  };
}

const CHECK_STATES: readonly CheckStatus['state'][] = [
  'pending',
  'success',
  'failure',
  'error',
  'warning',
  'skipped',
];

export function toCheck(raw: JsonObject): CheckStatus {
  const said = textOf(raw, 'status');
  return {
    context: textOrEmpty(raw, 'context'),
    // A state this version doesn't know must not look like success.
    state: CHECK_STATES.find((state) => state === said) ?? 'pending',
    description: textOrEmpty(raw, 'description'),
    url: textOrEmpty(raw, 'target_url'),
  };
}
