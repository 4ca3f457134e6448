import { z } from 'zod';
import type { Orchestrator } from '../../cli/base/orchestrator.js';
import { inEffect, type Decision, type ProposalDetail } from '../../cli/base/proposal-desk.js';
import {
  decisionDocument,
  listedProposalDocument,
  proposalDocument,
} from '../../cli/base/proposal-documents.js';
import type { DecidedProposal } from '../../domain/run/stores.js';
import { modifiedProposal } from '../../domain/supervise/modified-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { decided, oneProposal, proposalList } from '../base/documents.js';
import { answering } from '../base/operation.js';
import { ApiProblem } from '../base/problem.js';

const ONE_PROPOSAL = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/, 'expected a proposal’s whole id'),
});
const WORDS = z.string().regex(/\S/, 'is blank').max(4096).describe('what the agent is told');
/** What was read is decided, and nothing else. */
const HASH = z.string().min(1).max(200).describe('the hash of the proposal that you have read');

const decision = z.discriminatedUnion('verdict', [
  z.strictObject({
    verdict: z.literal('approve'),
    hash: HASH,
    notes: WORDS.nullable().default(null),
    withNetwork: z
      .boolean()
      .default(false)
      .describe('of an image: its steps run as root with a network that no allowlist limits'),
  }),
  z.strictObject({
    verdict: z.literal('modify'),
    hash: HASH,
    file: z
      .string()
      .max(256 * 1024)
      .describe('the whole file as you want it'),
    notes: WORDS.nullable().default(null),
  }),
  z.strictObject({ verdict: z.literal('reject'), hash: HASH, notes: WORDS }),
]);

const listProposals = answering({
  id: 'listProposals',
  method: 'get',
  path: '/proposals',
  scope: 'read',
  summary: 'What agents have asked for and nobody has decided, oldest first',
  answer: proposalList,
  async handle({ orchestrator, machine }) {
    const waiting = await orchestrator(`api@${machine}`).proposals();
    return { proposals: waiting.map(listedProposalDocument) };
  },
});

const getProposal = answering({
  id: 'getProposal',
  method: 'get',
  path: '/proposals/{id}',
  scope: 'read',
  summary: 'What an agent asks for, why, what it would change, and what came of it',
  params: ONE_PROPOSAL,
  refuses: [404, 409],
  answer: oneProposal,
  async handle({ orchestrator, machine }, { params: { id } }) {
    const desk = orchestrator(`api@${machine}`);
    const row = await find(desk, id);
    return proposalDocument(row, await detailOf(desk, row));
  },
});

const decideProposal = answering({
  id: 'decideProposal',
  method: 'post',
  path: '/proposals/{id}/decision',
  scope: 'operate',
  summary: 'Decide it; an image is built before the answer comes, which may take minutes',
  params: ONE_PROPOSAL,
  body: decision,
  refuses: [404, 409, 503],
  answer: decided,
  async handle({ orchestrator, machine }, { params: { id }, body, token }) {
    const desk = orchestrator(`api-${token.id}@${machine}`);
    const row = await find(desk, id);
    if (row.decision !== null) throw new ApiProblem(409, `it was decided by ${row.decision.who}`);
    if (row.ref !== body.hash) throw new ApiProblem(409, 'that is not its hash: read the proposal first');
    const { shown } = await detailOf(desk, row);
    const given = decisionOf(body, shown);
    const answer = await desk.decide(row, given);
    if (answer.kind === 'not_found') throw new ApiProblem(404, `${row.slug} is gone`);
    if (answer.kind === 'refused') throw new ApiProblem(409, answer.reason);
    if (answer.status === 'failed')
      throw new ApiProblem(409, `the image cannot be built: ${answer.why ?? ''}`);
    return decisionDocument(row.id, answer, inEffect(given, shown));
  },
});

export const PROPOSAL_OPERATIONS = [listProposals, getProposal, decideProposal];

function decisionOf(asked: z.output<typeof decision>, shown: ShownProposal): Decision {
  if (asked.verdict === 'reject') return { verdict: 'reject', notes: asked.notes };
  const { notes } = asked;
  if (asked.verdict === 'modify') {
    const read = modifiedProposal(shown, asked.file);
    if (read.kind !== 'modified')
      throw new ApiProblem(409, `file cannot be used, so nothing was decided: ${read.problems.join('; ')}`);
    return { verdict: 'modify', modified: read.shown, notes };
  }
  if (!asked.withNetwork) return { verdict: 'approve', notes };
  if (shown.change.kind !== 'image') throw new ApiProblem(409, 'withNetwork is for proposals of an image');
  return { verdict: 'approve', notes, withNetwork: true };
}

async function detailOf(desk: Orchestrator, row: DecidedProposal): Promise<ProposalDetail> {
  return desk.proposal(row).catch(() => {
    throw new ApiProblem(409, 'what it says is gone or cannot be read: the run asks again in its next turn');
  });
}

async function find(desk: Orchestrator, id: string): Promise<DecidedProposal> {
  const [found] = await desk.findProposals(id);
  if (found === undefined)
    throw new ApiProblem(404, `there is no proposal ${id}: GET /api/v1/proposals lists those that wait`);
  return found;
}
