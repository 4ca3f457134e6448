import type { FreshSession, PullState } from './prompt-input.js';
import { renderEvents, withQuote } from './prompt-events.js';
import { inlineText } from '../text/untrusted-text.js';

const MAX_SUMMARIES = 20;
const SUMMARY_BYTES = 4 * 1024;
const COMMENTS_BYTES = 32 * 1024;

const WHY = {
  first: 'You have not worked on this before, or nothing is known of it.',
  rotated: 'Your last session had grown too long.',
  lost: 'Your last session is lost.',
} as const;

/** What was done before, as Markdown sections; empty texts are left out. */
export function beforeThisSession(fresh: FreshSession): string[] {
  const { why, summaries, pull, comments } = fresh;
  const shown = summaries.slice(-MAX_SUMMARIES);
  const events = renderEvents(comments, COMMENTS_BYTES);
  return [
    '# What was done before',
    `This is a new session. ${WHY[why]} What you did before you know only from here, from the commits on your branch and from the issue tracker: look at them before you go on.`,
    ...shown.map(({ turn, status, text }) =>
      withQuote(`Turn ${String(turn)} ended as ${status}; you said of it`, text, SUMMARY_BYTES),
    ),
    ...(pull === null ? [] : [pullSection(pull)]),
    ...(events === '' ? [] : ['# What was written last', events]),
  ];
}

function pullSection({ number, title, state }: PullState): string {
  const told = `Your pull request #${String(number)} is ${state}.`;
  return title === null ? told : withQuote(`${told} Its title`, inlineText(title, 300), SUMMARY_BYTES);
}
