import type { LinkedPull } from '../../domain/issue.js';
import { asList, asObject, integerOf, textOf } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GithubRepo } from './github-repo.js';
import { toUser } from '../forge-http/mapping.js';
import { allPages } from './paging.js';

/** Open pull requests of this repository that name the issue, each once, in the order in which they first did. */
export async function readLinkedPulls(repo: GithubRepo, number: number): Promise<LinkedPull[]> {
  const issue_number = forgeNumber(number);
  const entries = await allPages(
    repo.client,
    (api, page) => api.issues.listEventsForTimeline({ ...repo.name, issue_number, ...page }),
    (data) => asList(data, 'timeline'),
  );
  const pulls = new Map<number, LinkedPull>();
  for (const entry of entries) {
    const pull = entry['event'] === 'cross-referenced' ? sourceOf(repo, entry) : undefined;
    if (pull !== undefined && !pulls.has(pull.number)) pulls.set(pull.number, pull);
  }
  return [...pulls.values()];
}

function sourceOf(repo: GithubRepo, entry: JsonObject): LinkedPull | undefined {
  const issue = asObject(entry['source'], 'source')['issue'];
  // Hidden from us, or gone.
  if (issue === null || issue === undefined) return undefined;
  const from = asObject(issue, 'issue');
  const home = `/repos/${repo.name.owner}/${repo.name.repo}`.toLowerCase();
  const here = textOf(from, 'repository_url').toLowerCase().endsWith(home);
  if (!here || textOf(from, 'state') !== 'open' || from['pull_request'] === undefined) return undefined;
  return {
    number: integerOf(from, 'number'),
    title: textOf(from, 'title'),
    author: toUser(from['user']).login,
  };
}
