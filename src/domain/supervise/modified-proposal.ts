/** The operator's own version of what an agent proposed. */
import { utf8Length } from '../text/untrusted-text.js';
import { allowIn, readChange, routesIn } from './config-change.js';
import { plainImageFile } from './image-change.js';
import { MAX_PROPOSED_BYTES } from './proposal.js';
import type { ShownProposal } from './shown-proposal.js';

export type ModifiedProposal =
  | { readonly kind: 'modified'; readonly shown: ShownProposal }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** The same proposal with another file, against the file that it started from. */
export function modifiedProposal(given: ShownProposal, file: string): ModifiedProposal {
  const { proposal, currentFile } = given;
  if (utf8Length(file) > MAX_PROPOSED_BYTES)
    return { kind: 'problems', problems: [`it is larger than ${String(MAX_PROPOSED_BYTES / 1024)} KiB`] };
  const read = readChange(proposal.tool, currentFile, file);
  if (read.kind === 'problems') return read;
  const shown = { ...given, proposal: { ...proposal, proposed_file: file }, change: read.change };
  return { kind: 'modified', shown };
}

/**
 * What the proposed file says, written in our own way: an editor is given nothing else of an agent's text. A comment could
 * be one that the editor obeys.
 */
export function plainFile({ proposal: { tool, proposed_file: file }, currentFile }: ShownProposal): string {
  switch (tool) {
    case 'pipelock-block':
      return allowIn(file)
        .map((line) => `${line}\n`)
        .join('');
    case 'cred-proxy-block':
      return `${JSON.stringify({ routes: routesIn(file) }, null, 2)}\n`;
    case 'capability-block':
      return plainImageFile(currentFile, file);
  }
}
