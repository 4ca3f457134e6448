import { isRecord, recordIn } from '../base/is-record.js';
import { InvalidInputError } from '../base/errors.js';
import type { ConfigChange } from './config-change.js';
import { isProposalTool } from './proposal.js';
import type { ShownProposal } from './shown-proposal.js';

const TEXTS = [
  'id',
  'proposed_file',
  'justification',
  'arrival_timestamp',
  'current_file_hash',
  'bottle_slug',
] as const;
const KINDS: readonly unknown[] = ['allowlist', 'routes', 'image'] satisfies ConfigChange['kind'][];

/** Reads the blob of a shown proposal. Errors: `InvalidInputError` for one that this version did not write. */
export function readShownProposal(json: string): ShownProposal {
  const value: unknown = recordIn(json);
  if (!isShown(value)) throw new InvalidInputError('the blob of a proposal is none');
  return value;
}

/** Of the change only its kind is looked at: whoever wrote the blob has computed it. */
function isShown(value: unknown): value is ShownProposal {
  if (!isRecord(value)) return false;
  const { proposal, currentFile, change } = value;
  return (
    isRecord(proposal) &&
    isProposalTool(proposal['tool']) &&
    TEXTS.every((key) => typeof proposal[key] === 'string') &&
    typeof currentFile === 'string' &&
    isRecord(change) &&
    KINDS.includes(change['kind'])
  );
}
