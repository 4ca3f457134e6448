/** Proposals as people are shown them. All of it but our own words is an agent's, so every line of it is escaped. Pure. */
import type { DecidedProposal } from '../../domain/run/stores.js';
import { effectOf } from '../../domain/supervise/change-effect.js';
import { PROPOSAL_TOOLS, shortProposalId } from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { escapeTerminal, escapeTerminalLines } from '../../domain/text/escape.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import { age } from '../base/age.js';
import { table } from '../base/output.js';
import type { ListedProposal, ProposalDetail } from '../base/proposal-desk.js';
import { firstEffect, notesTitle, stateText, WHO_SAYS } from '../base/proposal-words.js';

const EFFECT_CHARACTERS = 100;
const HEADER = ['PROPOSAL', 'RUN', 'TOOL', 'AGE', 'TURN', 'EFFECT'] as const;

export function listText(rows: readonly ListedProposal[], now: number): string {
  return table(
    HEADER,
    rows.map(({ id, slug, tool, at, turn, shown }) => [
      shortProposalId(id),
      slug,
      tool,
      `${age(now - at)} ago`,
      String(turn),
      shown === null ? 'cannot be read' : firstEffect(effectOf(shown), EFFECT_CHARACTERS),
    ]),
  );
}

export function showText(row: DecidedProposal, detail: ProposalDetail, now: number): string {
  const { id, slug, tool, turn, at, ref, decision } = row;
  const { shown, modified, notes } = detail;
  return [
    escapeTerminal(`proposal  ${id}`),
    escapeTerminal(`run       ${slug}, turn ${String(turn)}, ${age(now - at)} ago`),
    escapeTerminal(`tool      ${tool}, for ${PROPOSAL_TOOLS[tool].file}`),
    escapeTerminal(`hash      ${ref}`),
    escapeTerminal(`state     ${stateText(decision)}`),
    ...(notes === null || decision === null ? [] : block(notesTitle(decision), notes)),
    ...block(WHO_SAYS[row.origin], shown.proposal.justification),
    ...versionText('it would do this', shown),
    ...(modified === null ? [] : versionText('with the operator’s changes it does this', modified)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function versionText(title: string, shown: ShownProposal): string[] {
  const { proposal, currentFile } = shown;
  return [
    ...block(title, effectOf(shown).map(escapeTerminal).join('\n')),
    ...block(PROPOSAL_TOOLS[proposal.tool].file, lineDiff(currentFile, proposal.proposed_file)),
  ];
}

/** Set in, so that no line of it passes for one of ours. */
function block(title: string, text: string): string[] {
  const lines = escapeTerminalLines(text.replace(/\n+$/, '')).split('\n');
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())];
}
