import { isNotFound } from '../../domain/errors.js';
import type { TimelineAct } from '../../domain/issue.js';
import { asList, integerOf, textOf } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import type { GithubRepo } from './github-repo.js';
import { toUser } from '../forge-http/mapping.js';
import { readPr } from './pulls.js';

const PUSHES = new Set(['push', 'force_push']);

/**
 * Pushes to a pull request's branch, oldest first, of the last hundred things that happened to it. The timeline lists
 * commits, with the author the commit claims; who pushed stands in the repository's activity only. None of a fork's
 * branch, and none on an Enterprise server that keeps no activity.
 */
export async function readPushes(repo: GithubRepo, number: number): Promise<TimelineAct[]> {
  const { head } = await readPr(repo, number);
  if (head.fromFork) return [];
  const raw = await activityOf(repo, `refs/heads/${head.ref}`);
  return raw
    .filter((item) => PUSHES.has(textOf(item, 'activity_type')))
    .map(toPush)
    .reverse();
}

async function activityOf(repo: GithubRepo, ref: string): Promise<readonly JsonObject[]> {
  try {
    const { data } = await repo.client.call((api) =>
      api.repos.listActivities({ ...repo.name, ref, per_page: 100 }),
    );
    return asList(data, 'activity');
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function toPush(raw: JsonObject): TimelineAct {
  return {
    id: integerOf(raw, 'id'),
    kind: 'pushed',
    actor: toUser(raw['actor']),
    at: textOf(raw, 'timestamp'),
    what: textOf(raw, 'after'),
  };
}
