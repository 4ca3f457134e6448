import type { Review } from '../../domain/forge/issue.js';
import { asList, integerOf, textOf, textOrEmpty } from './decode.js';
import type { JsonObject } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaClient, GiteaRequest } from './gitea-client.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toInlineComment, toUser } from './mapping.js';
import { allPages, unlessTooLarge } from './paging.js';

const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

/** Of a review that was submitted, as Gitea calls them. */
export const SUBMITTED_STATES: ReadonlySet<string> = new Set(Object.keys(STATES));

/**
 * A review's remarks. None where they are larger than an answer may be: the list has no pages, and whoever may review
 * would block all other reviews.
 */
export async function readRemarks(
  client: GiteaClient,
  path: GiteaRequest['path'],
): Promise<readonly JsonObject[]> {
  const remarks = await unlessTooLarge(client.json({ method: 'GET', path }));
  return remarks === undefined ? [] : asList(remarks, 'inline comments');
}

/** Submitted reviews with their inline comments, oldest first; pending ones and mere requests are none. */
export async function readReviews(repo: GiteaRepo, prNumber: number): Promise<Review[]> {
  const reviews: Review[] = [];
  for (const item of await listReviews(repo, prNumber)) {
    const state = STATES[textOf(item, 'state')];
    if (state !== undefined) reviews.push(await toReview(repo, prNumber, item, state));
  }
  return reviews;
}

/** Remarks and answers to them on the lines of a pull request, without drafts of others. */
export async function countRemarks(repo: GiteaRepo, prNumber: number): Promise<number> {
  const reviews = await listReviews(repo, prNumber);
  return reviews.reduce((sum, review) => sum + integerOf(review, 'comments_count'), 0);
}

function listReviews(repo: GiteaRepo, prNumber: number): Promise<JsonObject[]> {
  return allPages(repo.client, repo.path('pulls', forgeNumber(prNumber), 'reviews'));
}

async function toReview(
  repo: GiteaRepo,
  prNumber: number,
  raw: JsonObject,
  state: Review['state'],
): Promise<Review> {
  const id = integerOf(raw, 'id');
  const inline = integerOf(raw, 'comments_count') > 0 ? await inlineComments(repo, prNumber, id) : [];
  return {
    id,
    author: toUser(raw['user']),
    state,
    body: textOrEmpty(raw, 'body'),
    submittedAt: textOf(raw, 'submitted_at'),
    comments: inline.map(toInlineComment),
  };
}

/** Gitea lists them in no order; by id they come as they were written. */
async function inlineComments(repo: GiteaRepo, prNumber: number, review: number): Promise<JsonObject[]> {
  const path = repo.path('pulls', forgeNumber(prNumber), 'reviews', review, 'comments');
  const list = await readRemarks(repo.client, path);
  return [...list].sort((a, b) => integerOf(a, 'id') - integerOf(b, 'id'));
}
