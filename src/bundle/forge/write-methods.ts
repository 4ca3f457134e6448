import { inertText, pullRequestBody } from '../../domain/inert-text.js';
import { defineMethod } from './method.js';

/** Gitea keeps 255 characters of a title; a text well below what a queue message may have. */
const TITLE_BYTES = 1000;
const BODY_BYTES = 60_000;
const SUMMARY_BYTES = 16 * 1024;

const number = {
  type: 'number',
  description: 'The assigned issue, or a pull request of this run.',
} as const;

export const postComment = defineMethod({
  name: 'post_comment',
  description:
    'Posts a comment on the assigned issue or a pull request of this run. Mentions, commands and references to issues are made inert. The same text on the same number is posted once a turn.',
  kind: 'write',
  params: {
    number,
    body: { type: 'text', description: 'Markdown.', maxBytes: BODY_BYTES, required: 'non-empty' },
  },
  story: (params) => {
    const target = `#${String(params.number)}`;
    return { target, did: `posted a comment on ${target}`, attempt: `comment on ${target}` };
  },
  run: async (params, context) => {
    const body = inertText(params.body);
    const marker = context.commentMarker(params.number, body);
    const comment = await context.forge.postComment(params.number, body, marker);
    return { result: { ok: true, number: params.number, id: comment.id } };
  },
});

export const updateDescription = defineMethod({
  name: 'update_description',
  description:
    'Replaces the text of the assigned issue or of a pull request of this run. Treated like a comment; a pull request of the run goes on closing its issue.',
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
  run: async (params, { forge }) => {
    const closesIssue = params.number !== forge.issue && forge.isOwnPr(params.number);
    const body = closesIssue ? pullRequestBody(params.body, forge.issue) : inertText(params.body);
    await forge.updateDescription(params.number, body);
    return { result: { ok: true, number: params.number } };
  },
});

export const openPr = defineMethod({
  name: 'open_pr',
  description:
    "Asks to publish this branch's commits and open its pull request, or update it. The work is checked first; the answer is the pull request's number, or why nothing was published. May take minutes.",
  kind: 'write',
  params: {
    title: { type: 'text', description: 'One line.', maxBytes: TITLE_BYTES, required: 'non-empty' },
    body: { type: 'text', description: 'Markdown.', maxBytes: BODY_BYTES, required: 'may be empty' },
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
    'Says that this turn is over: success (the work is finished), blocked (it needs an answer) or failed. Exit afterwards.',
  kind: 'done',
  params: {
    status: { type: 'choice', description: 'How it ended.', values: ['success', 'blocked', 'failed'] },
    summary: {
      type: 'text',
      description: 'For people, Markdown.',
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
