import { COMMENT_BYTES, withQuote } from './prompt-events.js';
import type { LostPart } from '../run/run-files.js';
import type { LeftOut, TurnSubmodules } from '../workspace/submodules.js';
import { inlineText } from '../text/untrusted-text.js';

const MAX_LINES = 60;
const PLACED =
  'These submodules are checked out, each at the commit that the branch records, without history. What you change in them is not published; a commit of your own in one of them must not become part of your branch';
const LFS_RULE =
  'Files of Git LFS are pointers here, text of three lines; their content can not be had. Leave them as they are: a commit that adds a pointer or changes one is not published.';

const SPARSE =
  'Only these directories are checked out, with the files next to and above them. Everything else is in the history and not in the tree, which does not delete it: `git show HEAD:path` reads it, `git sparse-checkout add directory` brings it in';

/** What a workspace has beside the repository, and what it lacks. `sparse`: directories; empty where nothing is to be said. */
export interface WorkspaceNotes {
  readonly sparse: readonly string[];
  readonly submodules: TurnSubmodules;
  readonly hasLfs: boolean;
}

/** What the host that filled the workspace adds to the prompt. */
export function workspaceSection({ sparse, submodules, hasLfs }: WorkspaceNotes): string {
  const paths = submodules.placed.map(({ parent, path }) => (parent === '' ? path : `${parent}/${path}`));
  const sections = [
    sparse.length === 0 ? '' : withQuote(SPARSE, lines(sparse), COMMENT_BYTES),
    paths.length === 0 ? '' : withQuote(PLACED, lines(paths), COMMENT_BYTES),
    missing('These submodules are not here. Do without them, or say that you cannot', submodules.leftOut),
    hasLfs ? LFS_RULE : '',
  ].filter((section) => section !== '');
  return sections.length === 0 ? '' : `\n# What your workspace has\n\n${sections.join('\n\n')}\n`;
}

const LOST: Readonly<Record<LostPart, string>> = {
  workspace:
    'The directory that you work in was lost. It begins anew from your branch on the forge, or from the base where that has none: commits that were not pushed and changes that were not committed are gone. Look at what is there before you go on.',
  home: 'Your home directory was lost. Your session was put back as it was last saved; nothing else that you kept there is left.',
};

/** What the run had kept and was gone when the turn began. */
export function lostSection(lost: readonly LostPart[]): string {
  return lost.length === 0
    ? ''
    : `\n# What was lost since your last turn\n\n${lost.map((part) => LOST[part]).join('\n\n')}\n`;
}

function missing(header: string, leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  const told = leftOut.map(({ path, reason }) => `${inlineText(path)}: ${inlineText(reason, 400)}`);
  return withQuote(header, lines(told), COMMENT_BYTES);
}

function lines(items: readonly string[]): string {
  const more = items.length - MAX_LINES;
  return [...items.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${String(more)} more`] : [])].join('\n');
}
