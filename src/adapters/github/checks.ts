import type { CheckStatus } from '../../domain/issue.js';
import { asList, asObject, textOf, textOrEmpty } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import type { GithubRepo } from './github-repo.js';
import { allPages } from './paging.js';
import { readPr } from './pulls.js';

/** What became of a check run. What waits for somebody, or is unknown here, must not look like success. */
const CONCLUSIONS: Readonly<Record<string, CheckStatus['state']>> = {
  success: 'success',
  failure: 'failure',
  neutral: 'warning',
  cancelled: 'error',
  skipped: 'skipped',
  timed_out: 'error',
  startup_failure: 'error',
};

const STATUSES: readonly CheckStatus['state'][] = ['pending', 'success', 'failure', 'error'];

/**
 * Both kinds GitHub has, of the PR's head commit: statuses that a service posts (the latest of each context), and check
 * runs of Actions and apps (the latest of each). Errors: 403 for a token without `Checks: read`, rather than half.
 */
export async function readChecks(repo: GithubRepo, number: number): Promise<CheckStatus[]> {
  const { head } = await readPr(repo, number);
  const ref = head.sha;
  const [statuses, runs] = await Promise.all([
    allPages(
      repo.client,
      (api, page) => api.repos.getCombinedStatusForRef({ ...repo.name, ref, ...page }),
      (data) => asList(asObject(data, 'combined status')['statuses'], 'statuses'),
    ),
    allPages(
      repo.client,
      (api, page) => api.checks.listForRef({ ...repo.name, ref, filter: 'latest', ...page }),
      (data) => asList(asObject(data, 'check runs')['check_runs'], 'check runs'),
    ),
  ]);
  return [...statuses.map(fromStatus), ...runs.map(fromRun)];
}

export function fromStatus(raw: JsonObject): CheckStatus {
  const said = textOf(raw, 'state');
  return {
    context: textOrEmpty(raw, 'context'),
    state: STATUSES.find((state) => state === said) ?? 'pending',
    description: textOrEmpty(raw, 'description'),
  };
}

export function fromRun(raw: JsonObject): CheckStatus {
  const done = textOf(raw, 'status') === 'completed';
  const output = raw['output'];
  return {
    context: textOf(raw, 'name'),
    state: (done ? CONCLUSIONS[textOrEmpty(raw, 'conclusion')] : undefined) ?? 'pending',
    description:
      typeof output === 'object' && output !== null ? textOrEmpty(asObject(output, 'output'), 'title') : '',
  };
}
