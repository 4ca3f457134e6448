/** What makes two reports the same thing, whoever reports it; shared by what finds a reference and what reads it. */
import type { CheckStatus, Comment } from './issue.js';

/** The same body of the same comment is the same thing. @param sha256 hex digest of a text */
export function commentKey(comment: Pick<Comment, 'id' | 'body'>, sha256: (text: string) => string): string {
  return `comment:${String(comment.id)}:${sha256(comment.body).slice(0, 32)}`;
}

export function reviewKey(id: number): string {
  return `review:${String(id)}`;
}

export function pushKey(sha: string): string {
  return `push:${sha}`;
}

/** The same checks failing on the same commit are the same thing. @param sha256 hex digest of a text */
export function checksKey(
  sha: string,
  failed: readonly Pick<CheckStatus, 'context'>[],
  sha256: (text: string) => string,
): string {
  const names = failed.map(({ context }) => context).sort();
  return `checks:${sha}:${sha256(JSON.stringify(names)).slice(0, 32)}`;
}

/** A subject's words at one moment; its author chooses the base branch, too. */
export function textHash(
  text: { readonly title: string; readonly body: string; readonly ref: string },
  sha256: (text: string) => string,
): string {
  return sha256(JSON.stringify([text.title, text.body, text.ref]));
}
