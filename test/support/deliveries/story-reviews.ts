import { numberIn } from '../gitea/api.js';
import { REPO } from './story-world.js';
import type { StoryWorld } from './story-world.js';

export const BRANCH = 'goodbye';
const inline = (body: string) => [{ path: 'goodbye.sh', line: 2, body }];

/** Reviews of one pull request: all kinds, an answer, a request, a dismissal. */
export async function playReviews(world: StoryWorld, pull: number): Promise<void> {
  const { recording, ada, dev, robot, devOnPages } = world;
  const act = recording.act.bind(recording);
  const path = `/repos/${REPO}/pulls/${pull}`;
  const review = await act(
    'review-comment',
    'ada reviews with a comment and one on a line',
    ['pull_request_review_comment reviewed'],
    () => ada.review(pull, { verdict: 'comment', body: 'Hm.', comments: inline('Twice?') }),
  );
  const [first] = await ada.api.list(`${path}/reviews/${review}/comments`);
  const head = String(first?.['commit_id']);
  await act(
    'review-inline-answered',
    'dev answers on the line, on the page',
    ['pull_request_comment created'],
    () =>
      devOnPages.post(`/${REPO}/pulls/${pull}/files/reviews/comments`, {
        ...{ origin: 'timeline', content: 'Because.', side: 'proposed', line: '2', path: 'goodbye.sh' },
        ...{ single_review: 'true', reply: String(review), latest_commit_id: head },
      }),
  );
  await act('review-inline-resolved', 'dev marks the conversation as resolved', [], () =>
    ada.api.call('POST', `/repos/${REPO}/pulls/comments/${numberIn(first ?? {}, 'id')}/resolve`),
  );
  await act(
    'review-changes-requested',
    'ada requests changes',
    ['pull_request_review_rejected reviewed'],
    () =>
      ada.review(pull, { verdict: 'request_changes', body: 'Once is enough.', comments: inline('Remove.') }),
  );
  const approval = await act(
    'review-approved',
    'ada approves',
    ['pull_request_review_approved reviewed'],
    () => ada.review(pull, { verdict: 'approve', body: 'Fine.', comments: inline('Good.') }),
  );
  await act('review-dismissed', 'ada dismisses the approval', [], () =>
    ada.api.call('POST', `${path}/reviews/${approval}/dismissals`, { message: 'Too early.' }),
  );
  await act(
    'review-requested',
    'dev asks the robot for a review',
    ['pull_request_review_request review_requested'],
    () => dev.api.call('POST', `${path}/requested_reviewers`, { reviewers: [robot.login] }),
  );
}
