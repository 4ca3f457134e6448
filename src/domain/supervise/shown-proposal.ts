import type { ConfigChange } from './config-change.js';
import type { Proposal } from './proposal.js';

/**
 * A proposal with what it would do: the blob that the operator is shown and whose hash a decision names, so that nothing else
 * is decided than what was seen.
 */
export interface ShownProposal {
  readonly proposal: Proposal;
  /** The file that it started from. */
  readonly currentFile: string;
  readonly change: ConfigChange;
  /** Routes in that file that nobody may change; absent in the blob of a version before this, and of a refused host. */
  readonly ownRoutes?: readonly string[];
  /** Where the settings have models in place of the vendors' own addresses; absent as the one above. */
  readonly modelHosts?: readonly string[];
}

/** The same, but the image is built with a network. */
export function withNetwork(shown: ShownProposal): ShownProposal {
  const { change } = shown;
  return change.kind === 'image' ? { ...shown, change: { ...change, network: true } } : shown;
}
