/** A proposal as it is read before it is decided: what it would do stands above everything else. Pure. */
import { notesTitle, stateText, WHO_SAYS } from '../../cli/base/proposal-words.js';
import { age } from '../../cli/base/age.js';
import { broken } from '../../cli/base/wrap.js';
import { effectOf } from '../../domain/supervise/change-effect.js';
import { PROPOSAL_TOOLS, shortProposalId } from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import { EMPTY, line, paragraph, safe, type Line, type Look } from './line.js';
import { keyOf, type Opened, type Progress, type State } from './state.js';

export function openedText(
  opened: Opened,
  { columns, now, progress }: Pick<State, 'columns' | 'now' | 'progress'>,
): readonly Line[] {
  const { row, detail, unreadable, decision } = opened;
  const head = [
    line(`proposal ${shortProposalId(row.id)} of ${row.slug}`, 'strong'),
    line(
      `${row.tool}, turn ${String(row.turn)}, ${age(now - row.at)} ago, hash ${row.ref.slice(0, 16)}`,
      'faint',
    ),
    ...(decision === null ? [] : [line(`decided: ${stateText(decision)}`, 'alarm')]),
    ...cameOfIt(opened, progress.get(keyOf(row)), columns),
  ];
  if (detail === null) return [...head, EMPTY, ...paragraph(unreadable ?? 'is read …', columns, 'alarm')];
  const own = ownVersion(opened);
  return [
    ...head,
    ...problemsOf(opened, columns),
    ...version(
      own === null ? 'it would do this' : 'with your changes it would do this',
      own ?? detail.shown,
      {
        columns,
        between: [
          EMPTY,
          line(WHO_SAYS[row.origin], 'strong'),
          ...paragraph(detail.shown.proposal.justification, columns),
        ],
      },
    ),
  ];
}

/** In full: the line below the lists has room for its beginning. */
function cameOfIt({ decision, detail }: Opened, progress: Progress | undefined, columns: number): Line[] {
  if (decision === null)
    return progress?.kind === 'failed' ? [EMPTY, ...paragraph(progress.text, columns, 'alarm')] : [];
  const notes = detail?.notes ?? null;
  return notes === null ? [] : [EMPTY, line(notesTitle(decision), 'strong'), ...paragraph(notes, columns)];
}

/** The operator's version that can be used: it stands there instead of the agent's. */
export function ownVersion({ edited }: Pick<Opened, 'edited'>): ShownProposal | null {
  return edited?.read.kind === 'modified' ? edited.read.shown : null;
}

function problemsOf({ edited }: Opened, columns: number): Line[] {
  if (edited?.read.kind !== 'problems') return [];
  const { read, path } = edited;
  return [
    EMPTY,
    line('your version cannot be used, so nothing was sent; m edits it again', 'alarm'),
    ...read.problems.flatMap((problem) => paragraph(problem, columns)),
    ...paragraph(`it is ${path}`, columns, 'faint'),
  ];
}

function version(
  title: string,
  shown: ShownProposal,
  { columns, between }: { readonly columns: number; readonly between: readonly Line[] },
): Line[] {
  const { proposal } = shown;
  return [
    EMPTY,
    line(title, 'strong'),
    ...effectOf(shown).flatMap((effect) => paragraph(effect, columns)),
    ...between,
    EMPTY,
    line(PROPOSAL_TOOLS[proposal.tool].file, 'strong'),
    ...diffOf(shown, columns),
  ];
}

/** What was made of a proposal is kept with it: it is drawn again with every key. */
const drawn = new WeakMap<ShownProposal, { readonly columns: number; readonly lines: readonly Line[] }>();

function diffOf(shown: ShownProposal, columns: number): readonly Line[] {
  const known = drawn.get(shown);
  if (known?.columns === columns) return known.lines;
  const lines = diffLines(lineDiff(shown.currentFile, shown.proposal.proposed_file), columns);
  drawn.set(shown, { columns, lines });
  return lines;
}

const LOOKS: Readonly<Record<string, Look>> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'faint' };

/** Every line has its sign, however often it is broken: it reads without colour, and none passes for one of ours. */
export function diffLines(diff: string, columns: number): Line[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((text) => {
      const sign = text.slice(0, 1);
      const mark = `  ${sign}`;
      return broken(safe(text.slice(1)), columns, mark).map((piece) => [
        { text: piece, look: LOOKS[sign] ?? 'plain' },
      ]);
    });
}
