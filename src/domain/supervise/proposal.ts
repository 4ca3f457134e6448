/** What an agent that is stuck asks for, and what the operator says to it [S2]. */

/** The tools by their names, and the file of the bottle's configuration that each one proposes anew. */
export const PROPOSAL_TOOLS = {
  'cred-proxy-block': { component: 'cred-proxy', file: 'routes.json' },
  'pipelock-block': { component: 'pipelock', file: 'allowlist' },
  'capability-block': { component: 'capability', file: 'Dockerfile' },
} as const;

export type ProposalTool = keyof typeof PROPOSAL_TOOLS;
/** As the audit log's files are called. */
export type ProposalComponent = (typeof PROPOSAL_TOOLS)[ProposalTool]['component'];

export function isProposalTool(value: unknown): value is ProposalTool {
  return typeof value === 'string' && Object.hasOwn(PROPOSAL_TOOLS, value);
}

/** Longest file that can be proposed, and longest justification, bytes. */
export const MAX_PROPOSED_BYTES = 64 * 1024;
export const MAX_JUSTIFICATION_BYTES = 4_000;
/** Most proposals that are kept of a run, whatever became of them: four times the changes that it may have. */
export const MAX_KEPT_PROPOSALS = 256;

/** A proposal as its file in `queue/<slug>/` has it; the seed's names. */
export interface Proposal {
  /** Made of what is proposed: the same proposal sent twice is one. */
  readonly id: string;
  readonly tool: ProposalTool;
  readonly proposed_file: string;
  readonly justification: string;
  /** ISO 8601, UTC. */
  readonly arrival_timestamp: string;
  /** SHA-256 of the file that the agent started from, hexadecimal. */
  readonly current_file_hash: string;
  readonly bottle_slug: string;
}

/** What an agent says of it, under the names of its tools' parameters. */
export type ProposedFile = Pick<Proposal, 'proposed_file' | 'justification' | 'current_file_hash'>;

/** @param sha256 of UTF-8 text, hexadecimal */
export function proposalId(
  sha256: (text: string) => string,
  {
    tool,
    proposed_file,
    justification,
    current_file_hash,
    bottle_slug,
  }: Omit<Proposal, 'id' | 'arrival_timestamp'>,
): string {
  return madeId(sha256, [bottle_slug, tool, current_file_hash, proposed_file, justification]);
}

const ID_CHARACTERS = 32;

/** An id that says what is proposed: the same parts make the same one. */
export function madeId(sha256: (text: string) => string, parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, ID_CHARACTERS);
}

/** So many characters of an id are enough for people. */
const SHORT_ID = 8;

export function shortProposalId(id: string): string {
  return id.slice(0, SHORT_ID);
}

/** What the operator says; `failed`: was agreed to, and the image could not be built; `cancelled`: the run ended first. */
export type DecisionStatus = 'approved' | 'modified' | 'rejected' | 'failed' | 'cancelled';

/** What the agent's call is answered. `pending`: nobody has said anything yet, and the next turn will tell. */
export interface ProposalAnswer {
  readonly id: string;
  readonly status: DecisionStatus | 'pending';
  readonly notes: string;
}
