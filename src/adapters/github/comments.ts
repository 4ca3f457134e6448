import { isNotFound } from '../../domain/errors.js';
import type { Comment } from '../../domain/issue.js';
import { asList } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import { endsWithMark, hiddenMark } from '../forge-http/hidden-mark.js';
import { createOnce } from '../forge-http/retry.js';
import type { GithubRepo } from './github-repo.js';
import { toComment } from '../forge-http/mapping.js';
import { allPages } from './paging.js';

/** Oldest first, as GitHub lists them. Comments on lines belong to reviews and are not among them. */
export async function readComments(repo: GithubRepo, number: number): Promise<Comment[]> {
  const issue_number = forgeNumber(number);
  const raw = await allPages(
    repo.client,
    (api, page) => api.issues.listComments({ ...repo.name, issue_number, ...page }),
    (data) => asList(data, 'comments'),
  );
  return raw.map(toComment);
}

export async function readComment(repo: GithubRepo, id: number): Promise<Comment> {
  const comment_id = forgeNumber(id);
  const { data } = await repo.client.call((api) => api.issues.getComment({ ...repo.name, comment_id }));
  return toComment(data);
}

/**
 * Posts once per marker: GitHub has no idempotency key either, so the comment ends in an HTML comment with the
 * marker's hash. The oldest of them is the answer, younger ones are deleted. Only our own count, since everybody can
 * copy a mark.
 */
export async function postComment(
  repo: GithubRepo,
  number: number,
  body: string,
  marker: string,
): Promise<Comment> {
  const issue_number = forgeNumber(number);
  const mark = hiddenMark(marker);
  const me = await repo.whoAmI();
  return createOnce(repo.client.retry, {
    find: async () => {
      const comments = await readComments(repo, number);
      return comments.filter((comment) => comment.author.id === me.id && endsWithMark(comment.body, mark));
    },
    create: async () => {
      const text = `${body}\n\n${mark}`;
      const { data } = await repo.client.call((api) =>
        api.issues.createComment({ ...repo.name, issue_number, body: text }),
      );
      return toComment(data);
    },
    remove: async ({ id }) => {
      try {
        await repo.client.call((api) => api.issues.deleteComment({ ...repo.name, comment_id: id }));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  });
}
