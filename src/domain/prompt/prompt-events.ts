import type { PromptEvent } from './prompt-input.js';
import {
  cleanText,
  cutToBytes,
  inlineText,
  quoteLines,
  removalNote,
  utf8Length,
} from '../text/untrusted-text.js';

/** UTF-8 bytes of one event's quotation. */
export const COMMENT_BYTES = 16 * 1024;
/** What remains of an old event when all of them together are too long. */
const SHORTENED_BYTES = 512;

/**
 * The events in their order, within so many bytes: when they do not fit, the oldest are shortened first, and if even
 * that is too long, the oldest are left out; either is said.
 * @param before how many older ones were left out before
 */
export function renderEvents(events: readonly PromptEvent[], maxBytes: number, before = 0): string {
  const full = events.map((event) => sized(renderEvent(event, COMMENT_BYTES)));
  let total = full.reduce((sum, { bytes }) => sum + bytes, 0);
  const fitted = full.map((block, index) => {
    const event = events[index];
    if (total <= maxBytes || event === undefined) return block;
    const short = sized(renderEvent(event, SHORTENED_BYTES));
    total += short.bytes - block.bytes;
    return short;
  });
  const omitted = (here: number): string => {
    const n = before + here;
    return n === 0
      ? ''
      : `(${String(n)} older ${n === 1 ? 'event is' : 'events are'} left out here for length.)`;
  };
  let first = 0;
  for (; total + utf8Length(omitted(first)) + 2 > maxBytes && first < fitted.length; first += 1) {
    total -= fitted[first]?.bytes ?? 0;
  }
  return [omitted(first), ...fitted.slice(first).map(({ text }) => text)].filter(Boolean).join('\n\n');
}

function sized(text: string): { readonly text: string; readonly bytes: number } {
  // With the blank line that separates it from the next.
  return { text, bytes: utf8Length(text) + 2 };
}

function renderEvent(event: PromptEvent, maxBytes: number): string {
  if (event.kind === 'checks') return renderChecks(event, maxBytes);
  const again = event.again === true ? ', which an earlier prompt of yours had, too' : '';
  const by = `${inlineText(event.author, 100)}, ${inlineText(event.at, 40)}${again}`;
  switch (event.kind) {
    case 'comment':
      return withQuote(`## Comment on #${String(event.number)} by ${by}`, event.body, maxBytes);
    case 'review': {
      const remarks = event.comments.map(
        ({ path, line, body }) => `[${inlineText(path, 500)}:${String(line)}]\n${body}`,
      );
      const verdict = { approved: 'approved', changes_requested: 'changes requested', commented: 'comment' }[
        event.state
      ];
      const text = [event.body, ...remarks].join('\n\n');
      return withQuote(`## Review of #${String(event.number)} (${verdict}) by ${by}`, text, maxBytes);
    }
    case 'inline': {
      const place = `${inlineText(event.path, 500)}:${String(event.line)}`;
      return withQuote(`## Comment on ${place} of #${String(event.number)} by ${by}`, event.body, maxBytes);
    }
    case 'push':
      return `## New commits on #${String(event.number)} by ${by}: head is now ${inlineText(event.sha, 64)}`;
  }
}

/** Names first: they are what stays when it is cut. */
function renderChecks(
  { number, sha, failed, more }: Extract<PromptEvent, { kind: 'checks' }>,
  maxBytes: number,
): string {
  const names = failed.map(({ name, state, description, url }) =>
    [
      `[${inlineText(name, 200)}] ${inlineText(state, 20)}`,
      inlineText(description, 300),
      inlineText(url, 300),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  );
  const left = more === 0 ? [] : [`… and ${String(more)} more`];
  const logs = failed.flatMap(({ name, log }) =>
    log === null ? [] : [`The end of the log of [${inlineText(name, 200)}]:\n${log}`],
  );
  const header = `## Failed checks of #${String(number)} at ${inlineText(sha, 64)}, your last push; they do not fail on the base branch. What follows is CI's output, not a person's words`;
  return withQuote(header, [...names, ...left, ...logs].join('\n\n'), maxBytes);
}

/** A line of ours and the quotation below it; the line says what was removed or cut. */
export function withQuote(header: string, body: string, maxBytes: number): string {
  const clean = cleanText(body);
  const quoted = quoteLines(clean.text.trim());
  const bytes = utf8Length(quoted);
  const cut = bytes > maxBytes ? cutToBytes(quoted, maxBytes) : quoted;
  const notes = [
    removalNote(clean),
    bytes > maxBytes ? `shortened: the first ${String(maxBytes)} of ${String(bytes)} bytes` : '',
  ].filter(Boolean);
  const heading = notes.length === 0 ? `${header}:` : `${header} (${notes.join('; ')}):`;
  return clean.text.trim() === '' ? `${heading} no text` : `${heading}\n\n${cut}`;
}
