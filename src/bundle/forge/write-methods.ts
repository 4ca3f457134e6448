import { ForgeHttpError } from '../../domain/base/errors.js';
import { inertText, pullRequestBody } from '../../domain/text/inert-text.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import { defineMethod, type MethodContext } from '../plane/method.js';

/** Gitea keeps 255 characters of a title; a text well below what a queue message may have. */
const TITLE_BYTES = 1000;
const BODY_BYTES = 60_000;
const SUMMARY_BYTES = 16 * 1024;

const number = {
  type: 'number',
  description: 'Number of the assigned issue, or of a pull request of this run; no other is allowed.',
} as const;

export const postComment = defineMethod({
  name: 'post_comment',
  description:
    'Posts a comment on the assigned issue or on a pull request of this run; any other number is refused, and the refusal names the allowed ones. Mentions, commands, references to issues, HTML and images from elsewhere are made inert. A text with a secret is refused with the line it is in. Answers with the id of the comment. Repeating a call is harmless: the same text on the same number is posted once a turn. A turn posts a hundred comments at most, 1 MiB of text together.',
  kind: 'write',
  params: {
    number,
    body: {
      type: 'text',
      description: 'The comment, Markdown.',
      maxBytes: BODY_BYTES,
      required: 'non-empty',
    },
  },
  story: (params) => {
    const target = `#${String(params.number)}`;
    return { target, did: `posted a comment on ${target}`, attempt: `comment on ${target}` };
  },
  run: async (params, context) => {
    const body = inertText(params.body, context.forgePages);
    const marker = context.commentMarker(params.number, body);
    const comment = await context.forge
      .postComment(params.number, body, marker)
      .catch(async (error: unknown) => {
        throw (await lockedConversation(error, params.number, context.forge)) ?? error;
      });
    return { result: { ok: true, number: params.number, id: comment.id } };
  },
});

export const updateDescription = defineMethod({
  name: 'update_description',
  description:
    'Replaces the whole text of the assigned issue or of a pull request of this run; any other number is refused, and the refusal names the allowed ones. What is made inert is as in a comment; a pull request of the run goes on closing its issue. A text with a secret is refused with the line it is in. Repeating a call is harmless.',
  kind: 'write',
  params: {
    number,
    body: {
      type: 'text',
      description: 'Markdown, the whole new text.',
      maxBytes: BODY_BYTES,
      required: 'may be empty',
    },
  },
  story: (params) => {
    const target = `#${String(params.number)}`;
    return {
      target,
      did: `updated the description of ${target}`,
      attempt: `description update of ${target}`,
    };
  },
  run: async (params, { forge, forgePages }) => {
    const closesIssue = params.number !== forge.issue && forge.isOwnPr(params.number);
    const body = closesIssue
      ? pullRequestBody(params.body, forge.issue, forgePages)
      : inertText(params.body, forgePages);
    await forge.updateDescription(params.number, body);
    return { result: { ok: true, number: params.number } };
  },
});

export const openPr = defineMethod({
  name: 'open_pr',
  description:
    "Publishes the commits of this branch and opens its pull request, or adds them to the one that is open. Title and text count for a new pull request and for one that was a draft (WIP:), which it is no longer then; any other keeps its own (update_description changes the text). Commit first: uncommitted changes are not published. The work is checked before (secrets, protected paths, size, rewritten commits), so the call may take minutes; wait for it. The answer is the pull request's number, or why nothing was published: mend that, commit, and call again. Repeating a call is harmless.",
  kind: 'write',
  params: {
    title: {
      type: 'text',
      description: "The pull request's title, one line.",
      maxBytes: TITLE_BYTES,
      required: 'non-empty',
    },
    body: {
      type: 'text',
      description: 'What was done and how it was checked, Markdown.',
      maxBytes: BODY_BYTES,
      required: 'may be empty',
    },
  },
  story: () => ({ target: '', did: 'opened a pull request', attempt: 'open_pr' }),
  // The text goes as it is: the gate scans it and then makes it inert, in that order.
  run: async (params, { publisher }) => {
    const answer = await publisher.openPr(params.title, params.body);
    if (answer.kind === 'refused') {
      return { result: { published: false, reason: answer.reason }, refused: answer.reason };
    }
    return {
      result: { published: true, number: answer.pr, commit: answer.head },
      did: `published to PR #${String(answer.pr)}`,
    };
  },
});

export const signalDone = defineMethod({
  name: 'signal_done',
  description:
    'Says that this turn is over: success (the work is finished), blocked (it needs an answer from people) or failed (it cannot be done). Call it once, as the last thing, with a summary for people; then end your turn. A second call with other words is refused: the first counts.',
  kind: 'done',
  params: {
    status: { type: 'choice', description: 'How it ended.', values: ['success', 'blocked', 'failed'] },
    summary: {
      type: 'text',
      description: 'What was done, or what is missing, for people; Markdown.',
      maxBytes: SUMMARY_BYTES,
      required: 'may be empty',
    },
  },
  story: (params) => ({
    target: '',
    did: `signalled done: ${params.status}`,
    attempt: `done signal: ${params.status}`,
  }),
  run: async (params, { doneSignal }) => {
    await doneSignal.signal(params.status, params.summary);
    return { result: { ok: true } };
  },
});

/** Of a locked conversation the forge says only "forbidden": the agent is told what is the matter. */
async function lockedConversation(
  error: unknown,
  target: number,
  forge: MethodContext['forge'],
): Promise<JsonRpcError | undefined> {
  if (!(error instanceof ForgeHttpError) || error.status !== 403) return undefined;
  const issue = await forge.readIssue(target).catch(() => undefined);
  if (issue?.locked !== true) return undefined;
  const why = `the conversation of #${String(target)} is locked on the forge: no comment can be posted there until a person unlocks it`;
  return new JsonRpcError(JSON_RPC_CODE.forgeError, why, { status: 403, retryable: false }, { cause: error });
}
