import type { InlineComment, Review } from '../../domain/issue.js';
import { asList, integerOf, textOf, textOrEmpty } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GithubRepo } from './github-repo.js';
import { toUser } from '../forge-http/mapping.js';
import { toInlineComment } from './mapping.js';
import { allPages } from './paging.js';

/** A dismissed review has lost its verdict and keeps its words; a pending one is not submitted. */
const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'commented',
};

/** Submitted reviews with their inline comments, oldest first; an answer on a line is a review of its own. */
export async function readReviews(repo: GithubRepo, number: number): Promise<Review[]> {
  const pull_number = forgeNumber(number);
  const [raw, inline] = await Promise.all([
    allPages(
      repo.client,
      (api, page) => api.pulls.listReviews({ ...repo.name, pull_number, ...page }),
      (data) => asList(data, 'reviews'),
    ),
    inlineComments(repo, pull_number),
  ]);
  return raw.flatMap((item) => toReview(item, inline));
}

function toReview(raw: JsonObject, inline: ReadonlyMap<number, readonly InlineComment[]>): Review[] {
  const state = STATES[textOf(raw, 'state')];
  if (state === undefined) return [];
  const id = integerOf(raw, 'id');
  return [
    {
      id,
      author: toUser(raw['user']),
      state,
      body: textOrEmpty(raw, 'body'),
      submittedAt: textOf(raw, 'submitted_at'),
      comments: inline.get(id) ?? [],
    },
  ];
}

/** By review. The pull request's own list has the lines; the one of a review leaves them out in places. */
async function inlineComments(
  repo: GithubRepo,
  pull_number: number,
): Promise<ReadonlyMap<number, readonly InlineComment[]>> {
  const raw = await allPages(
    repo.client,
    (api, page) => api.pulls.listReviewComments({ ...repo.name, pull_number, ...page }),
    (data) => asList(data, 'inline comments'),
  );
  const byReview = new Map<number, InlineComment[]>();
  for (const item of raw) {
    const review = item['pull_request_review_id'];
    if (typeof review !== 'number') continue;
    byReview.set(review, [...(byReview.get(review) ?? []), toInlineComment(item)]);
  }
  return byReview;
}
