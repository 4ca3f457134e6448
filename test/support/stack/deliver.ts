import { hmacOf } from '../webhook/sign.js';
import type { Stack } from './stack.js';

/** A delivery about a comment as the forge would send it, signed; resolves with the status of the answer. */
export async function deliverComment(stack: Stack, issueNumber: number, commentId: number): Promise<number> {
  const { api } = stack.gitea.alice;
  const [repository, issue, comment, sender] = await Promise.all([
    api.object('GET', '/repos/alice/demo'),
    api.object('GET', `/repos/alice/demo/issues/${String(issueNumber)}`),
    api.object('GET', `/repos/alice/demo/issues/comments/${String(commentId)}`),
    api.object('GET', '/user'),
  ]);
  const body = JSON.stringify({ action: 'created', issue, comment, repository, sender, is_pull: false });
  const answer = await fetch(stack.webhookUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'issue_comment',
      'x-gitea-event-type': 'issue_comment',
      'x-gitea-delivery': crypto.randomUUID(),
      'x-gitea-signature': hmacOf(body, stack.webhookSecret),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}
