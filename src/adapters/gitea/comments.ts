import { createHash } from 'node:crypto';
import { ForgeHttpError } from '../../domain/base/errors.js';
import type { Comment } from '../../domain/forge/issue.js';
import { textOf } from './decode.js';
import type { JsonObject } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toComment } from './mapping.js';
import { allPages, unlessTooLarge } from './paging.js';
import { createOnce } from './http/retry.js';
import { readEntries } from './timeline.js';

/** Oldest first, without those that are too large by themselves. */
export async function readComments(repo: GiteaRepo, number: number): Promise<Comment[]> {
  return (await readRaw(repo, number)).map(toComment);
}

/** Gitea's list of comments has no pages; its timeline, in which they are, too, has. */
async function readRaw(repo: GiteaRepo, number: number): Promise<JsonObject[]> {
  const path = repo.path('issues', forgeNumber(number), 'comments');
  const comments = await unlessTooLarge(allPages(repo.client, path));
  if (comments !== undefined) return comments;
  return (await readEntries(repo, number)).filter((entry) => textOf(entry, 'type') === 'comment');
}

export async function readComment(repo: GiteaRepo, id: number): Promise<Comment> {
  const path = repo.path('issues', 'comments', forgeNumber(id));
  const response = await repo.client.request({ method: 'GET', path });
  // Ids of timeline entries share the comments' numbers; Gitea answers those with 204 and no body.
  if (response.status === 204) {
    const shown = `/${path.join('/')}`;
    throw new ForgeHttpError(
      404,
      'GET',
      shown,
      `GET ${shown}: 404, that id is an event of the timeline, not a comment`,
    );
  }
  return toComment(response.json());
}

/**
 * Posts once per marker: Gitea has no idempotency key, so the comment ends in an HTML comment with the marker's hash,
 * and the oldest one by our own account with that ending is the answer of every later call; younger ones are deleted. Only our own count, since everybody
 * can copy a mark; only the ending counts, since the body may be an agent's.
 */
export async function postComment(
  repo: GiteaRepo,
  number: number,
  body: string,
  marker: string,
): Promise<Comment> {
  forgeNumber(number);
  const mark = hiddenMark(marker);
  const me = await repo.whoAmI();
  return createOnce(repo.client.retry, {
    find: async () => {
      const comments = await readComments(repo, number);
      return comments
        .filter((comment) => comment.author.id === me.id && endsWithMark(comment.body, mark))
        .sort((a, b) => a.id - b.id);
    },
    create: async () => {
      const path = repo.path('issues', forgeNumber(number), 'comments');
      return toComment(
        await repo.client.json({ method: 'POST', path, body: { body: `${body}\n\n${mark}` } }),
      );
    },
    remove: async ({ id }) => {
      const path = repo.path('issues', 'comments', forgeNumber(id));
      await repo.client.request({ method: 'DELETE', path, accept: [404] });
    },
  });
}

/** An HTML comment that the forge keeps and its pages don't show: what a comment of ours ends in, to be found again. */
function hiddenMark(marker: string): string {
  return `<!-- bot-bottle:${createHash('sha256').update(marker).digest('hex').slice(0, 40)} -->`;
}

/** Only the ending counts, since what stands before it may be an agent's. */
function endsWithMark(body: string, mark: string): boolean {
  return body.trimEnd().endsWith(mark);
}
