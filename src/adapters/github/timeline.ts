import type { ForgeUser, TimelineAct } from '../../domain/issue.js';
import { asList, asObject, integerOf, textOf } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GithubRepo } from './github-repo.js';
import { toUser } from '../forge-http/mapping.js';
import { allPages } from './paging.js';
import { readPushes } from './pushes.js';

/**
 * The acts that can complete or end a trigger, and pushes to a PR, oldest first, the opening before all. From the issue's events and not
 * from its timeline: only the events say who assigned (`assigner`), where `actor` may be the one who was assigned
 * (github/docs issue 20795). A trigger is judged by who completed it, so that difference is one of rights.
 */
export async function readTimeline(repo: GithubRepo, number: number): Promise<TimelineAct[]> {
  const issue_number = forgeNumber(number);
  const issue = asObject(
    (await repo.client.call((api) => api.issues.get({ ...repo.name, issue_number }))).data,
    'issue',
  );
  const isPull = issue['pull_request'] !== undefined;
  const [events, pushes] = await Promise.all([
    allPages(
      repo.client,
      (api, page) => api.issues.listEvents({ ...repo.name, issue_number, ...page }),
      (data) => asList(data, 'events'),
    ),
    isPull ? readPushes(repo, number) : [],
  ]);
  const opened: TimelineAct = {
    id: 0,
    kind: 'opened',
    actor: toUser(issue['user']),
    at: textOf(issue, 'created_at'),
    what: '',
  };
  const since = Date.parse(opened.at);
  const later = [...events.flatMap(toAct), ...pushes.filter((push) => Date.parse(push.at) >= since)];
  return [opened, ...later.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))];
}

function toAct(raw: JsonObject): TimelineAct[] {
  const act = actOf(raw);
  return act === undefined ? [] : [{ ...act, id: integerOf(raw, 'id'), at: textOf(raw, 'created_at') }];
}

/** A merge is followed by a `closed` of its own. */
function actOf(raw: JsonObject): Pick<TimelineAct, 'kind' | 'what' | 'actor'> | undefined {
  const kind = textOf(raw, 'event');
  switch (kind) {
    case 'labeled':
    case 'unlabeled':
      return { kind, what: textOf(asObject(raw['label'], 'label'), 'name'), actor: toUser(raw['actor']) };
    case 'assigned':
    case 'unassigned':
      return { kind, what: toUser(raw['assignee']).login, actor: assignerIn(raw) };
    case 'closed':
    case 'reopened':
      return { kind, what: '', actor: toUser(raw['actor']) };
    default:
      return undefined;
  }
}

function assignerIn(raw: JsonObject): ForgeUser {
  return toUser(raw['assigner'] ?? raw['actor']);
}
