import { COMMENT_BYTES, withQuote } from './prompt-events.js';
import type { TurnSubmodules } from './submodules.js';
import { inlineText } from './untrusted-text.js';

const MAX_LINES = 60;

/** What the host that filled the workspace adds to the prompt: what is in it beside the repository, and what is not. */
export function workspaceSection({ placed, leftOut }: TurnSubmodules): string {
  if (placed.length === 0 && leftOut.length === 0) return '';
  const sections = [
    ...(placed.length === 0
      ? []
      : [
          withQuote(
            'These submodules are checked out, each at the commit that the branch records, without history. What you change in them is not published; a commit of your own in one of them must not become part of your branch',
            lines(placed.map(({ parent, path }) => (parent === '' ? path : `${parent}/${path}`))),
            COMMENT_BYTES,
          ),
        ]),
    ...(leftOut.length === 0
      ? []
      : [
          withQuote(
            'These submodules are not here. Do without them, or say that you cannot',
            lines(leftOut.map(({ path, reason }) => `${inlineText(path)}: ${reason}`)),
            COMMENT_BYTES,
          ),
        ]),
  ];
  return `\n# Submodules\n\n${sections.join('\n\n')}\n`;
}

function lines(items: readonly string[]): string {
  const more = items.length - MAX_LINES;
  return [...items.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${String(more)} more`] : [])].join('\n');
}
