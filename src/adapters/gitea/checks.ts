import { ForgeHttpError } from '../../domain/base/errors.js';
import { isFailed } from '../../domain/forge/failed-checks.js';
import type { CheckStatus } from '../../domain/forge/issue.js';
import { asList, asObject, textOf, textOrEmpty } from './decode.js';
import type { JsonObject } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toCheck } from './mapping.js';
import { allPages } from './paging.js';
import { readPr } from './pulls.js';

/** On the PR's head commit, not on its branch: that may have moved meanwhile. */
export async function readChecks(repo: GiteaRepo, prNumber: number): Promise<CheckStatus[]> {
  const { head } = await readPr(repo, prNumber);
  return readStatuses(repo, head.sha);
}

/** The latest status of every context. */
export async function readStatuses(repo: GiteaRepo, sha: string): Promise<CheckStatus[]> {
  const raw = await allPages(repo.client, repo.path('commits', sha, 'status'), {
    itemsOf: statusesIn,
  });
  return raw.map(toCheck);
}

/** The names of those that fail. */
export function failedNames(answer: unknown): string[] {
  return statusesIn(answer)
    .map(toCheck)
    .filter(isFailed)
    .map(({ context }) => context);
}

function statusesIn(answer: unknown): readonly JsonObject[] {
  return asList(asObject(answer, 'combined status')['statuses'], 'statuses');
}

/** The page of a job of Gitea's own Actions, as its statuses name it: `/owner/repo/actions/runs/7/jobs/9`. */
const JOB_PAGE = /\/actions\/runs\/\d{1,15}\/jobs\/(\d{1,15})$/;

/**
 * The end of a job's log. Whoever may set a status may name any page, and servers before 1.26 count jobs within their
 * run: only a job of this repository that failed on this very commit is the one. Whatever the forge refuses, a log that
 * was not kept among it, is no log: a turn does not wait for it.
 */
export async function readCheckLog(
  repo: GiteaRepo,
  { url }: Pick<CheckStatus, 'url'>,
  sha: string,
  maxBytes: number,
): Promise<string | null> {
  const id = Number(JOB_PAGE.exec(url)?.[1] ?? 0);
  if (id === 0) return null;
  const path = repo.path('actions', 'jobs', forgeNumber(id));
  try {
    const job = asObject(await repo.client.json({ method: 'GET', path }), 'job');
    if (textOf(job, 'head_sha') !== sha || textOrEmpty(job, 'conclusion') !== 'failure') return null;
    const logs = await repo.client.request({ method: 'GET', path: [...path, 'logs'], lastBytes: maxBytes });
    return logs.text();
  } catch (error) {
    if (error instanceof ForgeHttpError) return null;
    throw error;
  }
}
