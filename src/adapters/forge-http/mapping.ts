/** What the REST shapes of GitHub and of Gitea, which follows them, have in common. */
import type { Comment, ForgeUser, Repository } from '../../domain/issue.js';
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

/** A deleted account, where a forge says `null`. No id of an account is negative. */
const GHOST: ForgeUser = { id: -1, login: 'ghost' };

export function toUser(value: unknown): ForgeUser {
  if (value === null || value === undefined) return GHOST;
  const user = asObject(value, 'user');
  return { id: integerOf(user, 'id'), login: textOf(user, 'login') };
}

/** What issues and pull requests have in common. */
export function toSubject(raw: JsonObject) {
  return {
    number: integerOf(raw, 'number'),
    title: textOf(raw, 'title'),
    body: textOrEmpty(raw, 'body'),
    state: toState(raw),
    labels: toLabels(raw['labels']),
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

function toState(raw: JsonObject): 'open' | 'closed' {
  const state = textOf(raw, 'state');
  if (state !== 'open' && state !== 'closed') throw new UnexpectedShapeError('state');
  return state;
}

/** Objects or, as GitHub's API documents them too, bare names; Gitea writes an empty list as `null` in places. */
function toLabels(value: unknown): string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new UnexpectedShapeError('labels');
  return value.map((label: unknown) =>
    typeof label === 'string' ? label : textOf(asObject(label, 'label'), 'name'),
  );
}
