import type { Issue } from '../../domain/issue.js';
import type { ForgeReaction } from '../../domain/forge.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GithubRepo } from './github-repo.js';
import { toIssue } from './mapping.js';

/** Of an issue or a pull request: GitHub's issues are both. */
export async function readIssue(repo: GithubRepo, number: number): Promise<Issue> {
  const issue_number = forgeNumber(number);
  const { data } = await repo.client.call((api) => api.issues.get({ ...repo.name, issue_number }));
  return toIssue(data);
}

/** Of an issue or a pull request, which share their text. */
export async function updateDescription(repo: GithubRepo, number: number, body: string): Promise<void> {
  const issue_number = forgeNumber(number);
  await repo.client.call((api) => api.issues.update({ ...repo.name, issue_number, body }));
}

/** GitHub answers 200 instead of 201 when the reaction is there already, so it may be repeated. */
export async function react(repo: GithubRepo, number: number, content: ForgeReaction): Promise<void> {
  const issue_number = forgeNumber(number);
  await repo.client.call((api) => api.reactions.createForIssue({ ...repo.name, issue_number, content }), {
    idempotent: true,
  });
}
