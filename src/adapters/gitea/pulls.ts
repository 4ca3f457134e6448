import { isHeadOfOurs, type PullRequest } from '../../domain/forge/issue.js';
import type { OpenPrInput } from '../../domain/forge/forge.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toPullRequest } from './mapping.js';
import { allPages } from './paging.js';
import { createOnce } from './http/retry.js';

/** To the branch in the fork, as they may to one of the repository. */
const WRITERS_MAY_PUSH = { allow_maintainer_edit: true };

export async function readPr(repo: GiteaRepo, number: number): Promise<PullRequest> {
  return toPullRequest(
    await repo.client.json({ method: 'GET', path: repo.path('pulls', forgeNumber(number)) }),
  );
}

/** An agent is shown half of it. */
const DIFF_BYTES = 1024 * 1024;

export async function readDiff(repo: GiteaRepo, number: number): Promise<string> {
  const file = `${String(forgeNumber(number))}.diff`;
  return (
    await repo.client.request({ method: 'GET', path: repo.path('pulls', file), firstBytes: DIFF_BYTES })
  ).text();
}

/** Newest first, as the forge lists them. */
async function openPrs(repo: GiteaRepo): Promise<PullRequest[]> {
  const raw = await allPages(repo.client, repo.path('pulls'), { query: { state: 'open' } });
  return raw.map(toPullRequest);
}

/** The oldest one: the same that every call of `openPr` settles on. */
export async function findOpenPrByHead(repo: GiteaRepo, branch: string): Promise<PullRequest | undefined> {
  return (await openPrsByHead(repo, branch))[0];
}

/** From a branch of ours. */
export async function findOpenPrByCommit(repo: GiteaRepo, sha: string): Promise<PullRequest | undefined> {
  return (await openPrsOfOurs(repo)).find((pr) => pr.head.sha === sha);
}

/** Oldest first. */
async function openPrsByHead(repo: GiteaRepo, branch: string): Promise<PullRequest[]> {
  const ours = (await openPrsOfOurs(repo)).filter((pr) => pr.head.ref === branch);
  return ours.sort((a, b) => a.number - b.number);
}

async function openPrsOfOurs(repo: GiteaRepo): Promise<PullRequest[]> {
  const [open, bot] = await Promise.all([openPrs(repo), repo.whoAmI()]);
  return open.filter((pr) => isHeadOfOurs(pr, bot));
}

/**
 * One open PR per head branch: the oldest open one is adopted as it is, also when the forge's answer to opening it was
 * lost. Gitea looks for an open one itself (409), but so long before it writes that requests at the same time all
 * succeed (tried: eight of eight); younger copies of ours are closed.
 */
export function openPr(repo: GiteaRepo, input: OpenPrInput): Promise<PullRequest> {
  return createOnce(repo.client.retry, {
    find: async () => withoutOthers(repo, await openPrsByHead(repo, input.head)),
    create: async () => {
      const { title, body, head, headOwner, base } = input;
      const from = headOwner === undefined ? { head } : { head: `${headOwner}:${head}`, ...WRITERS_MAY_PUSH };
      return toPullRequest(
        await repo.client.json({
          method: 'POST',
          path: repo.path('pulls'),
          body: { title, body, base, ...from },
        }),
      );
    },
    remove: async ({ number }) => {
      const path = repo.path('pulls', forgeNumber(number));
      await repo.client.request({ method: 'PATCH', path, body: { state: 'closed' } });
    },
  });
}

/** The oldest and those that the same request made: somebody else's or another one from that branch is left alone. */
async function withoutOthers(repo: GiteaRepo, prs: readonly PullRequest[]): Promise<PullRequest[]> {
  const [oldest, ...younger] = prs;
  if (oldest === undefined) return [];
  if (younger.length === 0) return [oldest];
  const me = await repo.whoAmI();
  const copies = younger.filter((pr) => pr.author.id === me.id && isCopy(pr, oldest));
  return [oldest, ...copies];
}

function isCopy(one: PullRequest, other: PullRequest): boolean {
  return (
    one.author.id === other.author.id &&
    one.title === other.title &&
    one.body === other.body &&
    one.base.ref === other.base.ref
  );
}

/** Gitea ignores a request that is there already, so it may be repeated. */
export async function requestReview(repo: GiteaRepo, number: number, login: string): Promise<void> {
  await repo.client.request({
    method: 'POST',
    path: repo.path('pulls', forgeNumber(number), 'requested_reviewers'),
    body: { reviewers: [login] },
    idempotent: true,
  });
}
