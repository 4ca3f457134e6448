import { CURRENT_CONFIG_DIR } from '../../domain/egress/ports.js';
import { MAX_JUSTIFICATION_BYTES, MAX_PROPOSED_BYTES } from '../../domain/supervise/proposal.js';

/** What each of the tools takes. */
export const PROPOSAL_PARAMS = {
  proposed_file: {
    type: 'text',
    description: 'The whole new file: what is left out of it is taken away.',
    maxBytes: MAX_PROPOSED_BYTES,
    required: 'non-empty',
  },
  justification: {
    type: 'text',
    description: 'What you need it for, in a few sentences, for the person who decides.',
    maxBytes: MAX_JUSTIFICATION_BYTES,
    required: 'non-empty',
  },
  current_file_hash: {
    type: 'sha256',
    description: `SHA-256 of the current file that you started from, 64 hexadecimal digits: sha256sum ${CURRENT_CONFIG_DIR}/<file>`,
  },
} as const;
