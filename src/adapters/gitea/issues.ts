import type { Issue } from '../../domain/forge/issue.js';
import type { ForgeReaction } from '../../domain/forge/forge.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toIssue } from './mapping.js';

export async function readIssue(repo: GiteaRepo, number: number): Promise<Issue> {
  return toIssue(await repo.client.json({ method: 'GET', path: repo.path('issues', forgeNumber(number)) }));
}

/** Of an issue or a pull request: Gitea keeps both texts in one place. */
export async function updateDescription(repo: GiteaRepo, number: number, body: string): Promise<void> {
  await repo.client.request({
    method: 'PATCH',
    path: repo.path('issues', forgeNumber(number)),
    body: { body },
  });
}

/** As above. `WIP:` before it makes a pull request a draft. */
export async function updateTitle(repo: GiteaRepo, number: number, title: string): Promise<void> {
  await repo.client.request({
    method: 'PATCH',
    path: repo.path('issues', forgeNumber(number)),
    body: { title },
  });
}

/** Gitea answers 200 instead of 201 when the reaction is there already, so it may be repeated. */
export async function react(repo: GiteaRepo, number: number, reaction: ForgeReaction): Promise<void> {
  await repo.client.request({
    method: 'POST',
    path: repo.path('issues', forgeNumber(number), 'reactions'),
    body: { content: reaction },
    idempotent: true,
  });
}
