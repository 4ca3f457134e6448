/** The operator's own version of what an agent proposed. */
import { formatAllowEntry, parseAllowlist } from '../egress/allowlist.js';
import { parseRoutes } from '../egress/routes.js';
import { readChange, type EgressRules } from './config-change.js';
import { MAX_PROPOSED_BYTES, type ProposalTool } from './proposal.js';
import type { ShownProposal } from './shown-proposal.js';

export type ModifiedProposal =
  | { readonly kind: 'modified'; readonly shown: ShownProposal }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** The same proposal with another file, against the rules that it started from. */
export function modifiedProposal({ proposal, currentFile }: ShownProposal, file: string): ModifiedProposal {
  if (new TextEncoder().encode(file).length > MAX_PROPOSED_BYTES)
    return { kind: 'problems', problems: [`it is larger than ${String(MAX_PROPOSED_BYTES / 1024)} KiB`] };
  const read = readChange(proposal.tool, rulesOf(proposal.tool, currentFile), file);
  if (read.kind === 'problems') return read;
  const shown = { proposal: { ...proposal, proposed_file: file }, currentFile, change: read.change };
  return { kind: 'modified', shown };
}

/**
 * What the proposed file says, written in our own way: an editor is given nothing else of an agent's text. A comment could
 * be one that the editor obeys.
 */
export function plainFile({ proposal: { tool, proposed_file: file } }: ShownProposal): string {
  const { allow, routes } = rulesOf(tool, file);
  return tool === 'pipelock-block'
    ? allow.map((line) => `${line}\n`).join('')
    : `${JSON.stringify({ routes }, null, 2)}\n`;
}

/** Of a file that was read before: what cannot be read in it is nothing. */
function rulesOf(tool: ProposalTool, file: string): EgressRules {
  if (tool === 'pipelock-block')
    return { allow: [...new Set(parseAllowlist(file).entries.map(formatAllowEntry))], routes: [] };
  const read = parseRoutes(file);
  return { allow: [], routes: read.kind === 'routes' ? read.routes : [] };
}
