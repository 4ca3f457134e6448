import { ForgeHttpError } from '../../domain/errors.js';
import type { PullRequest } from '../../domain/issue.js';
import type { OpenPrInput } from '../../domain/forge.js';
import { asList, UnexpectedShapeError } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import { prForIssue } from '../forge-http/pr-for-issue.js';
import { createOnce } from '../forge-http/retry.js';
import type { GithubRepo } from './github-repo.js';
import { toPullRequest } from './mapping.js';
import { allPages } from './paging.js';

/** How the product names work that is not ready; GitHub has a flag for it. */
const DRAFT_TITLE = /^WIP:\s*/;

export async function readPr(repo: GithubRepo, number: number): Promise<PullRequest> {
  const pull_number = forgeNumber(number);
  const { data } = await repo.client.call((api) => api.pulls.get({ ...repo.name, pull_number }));
  return toPullRequest(data);
}

/** GitHub refuses (406) a diff of more than 20,000 lines. */
export async function readDiff(repo: GithubRepo, number: number): Promise<string> {
  const pull_number = forgeNumber(number);
  const { data } = await repo.client.call((api) =>
    api.pulls.get({ ...repo.name, pull_number, mediaType: { format: 'diff' } }),
  );
  if (typeof data !== 'string') throw new UnexpectedShapeError('diff');
  return data;
}

/** Newest first, as the forge lists them. @param head only from this branch of the repository's owner */
async function openPrs(repo: GithubRepo, head?: string): Promise<PullRequest[]> {
  const filter = head === undefined ? {} : { head: `${repo.name.owner}:${head}` };
  const raw = await allPages(
    repo.client,
    (api, page) => api.pulls.list({ ...repo.name, state: 'open', ...filter, ...page }),
    (data) => asList(data, 'pull requests'),
  );
  return raw.map(toPullRequest);
}

/** The oldest one. The owner may have a fork too, with a branch of the same name. */
export async function findOpenPrByHead(repo: GithubRepo, branch: string): Promise<PullRequest | undefined> {
  return (await openPrs(repo, branch)).findLast((pr) => pr.head.ref === branch && !pr.head.fromFork);
}

export function getPrForIssue(
  repo: GithubRepo,
  issue: number,
  knownPr: number | null,
): Promise<PullRequest | undefined> {
  const pulls = {
    read: (number: number) => readPr(repo, number),
    open: async () => (await openPrs(repo)).filter((pr) => !pr.head.fromFork),
  };
  return prForIssue(pulls, issue, knownPr);
}

/** One open PR per head branch: an open one is adopted as it is, also when the forge's answer to opening it was lost. */
export function openPr(repo: GithubRepo, input: OpenPrInput): Promise<PullRequest> {
  const find = (): Promise<PullRequest | undefined> => findOpenPrByHead(repo, input.head);
  return createOnce(repo.client.retry, {
    find: async () => [await find()].filter((pr) => pr !== undefined),
    create: async () => {
      try {
        return await create(repo, input);
      } catch (error) {
        // 422 also when somebody opened it a moment ago.
        const there = isRefused(error) ? await find() : undefined;
        if (there === undefined) throw error;
        return there;
      }
    },
    // GitHub itself keeps to one open pull request of two branches.
    remove: () => Promise.resolve(),
  });
}

/** A `WIP:` title becomes a draft; where the plan has no drafts, the title says it. */
async function create(repo: GithubRepo, input: OpenPrInput): Promise<PullRequest> {
  const { title, body, head, base } = input;
  const post = async (text: string, draft: boolean): Promise<PullRequest> => {
    const { data } = await repo.client.call((api) =>
      api.pulls.create({ ...repo.name, title: text, body, head, base, draft }),
    );
    return toPullRequest(data);
  };
  if (!DRAFT_TITLE.test(title)) return post(title, false);
  try {
    return await post(title.replace(DRAFT_TITLE, ''), true);
  } catch (error) {
    if (isRefused(error) && /draft/i.test(error.message)) return post(title, false);
    throw error;
  }
}

function isRefused(error: unknown): error is ForgeHttpError {
  return error instanceof ForgeHttpError && error.status === 422;
}

/** Asking again changes nothing, so it may be repeated. */
export async function requestReview(repo: GithubRepo, number: number, login: string): Promise<void> {
  const pull_number = forgeNumber(number);
  await repo.client.call(
    (api) => api.pulls.requestReviewers({ ...repo.name, pull_number, reviewers: [login] }),
    { idempotent: true },
  );
}
