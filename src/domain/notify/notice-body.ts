/** The JSON object that a hook is given; docs/run.md says what is in it. */
import type { FrozenRun } from '../run/notices.js';
import type { ProposalRow } from '../run/rows.js';
import { effectOf } from '../supervise/change-effect.js';
import { shortProposalId } from '../supervise/proposal.js';
import type { ShownProposal } from '../supervise/shown-proposal.js';
import { escapeJson } from '../text/escape.js';
import { cutToBytes } from '../text/untrusted-text.js';
import type { Message, Waiting } from './hooks.js';

const MAX_EFFECTS = 20;
const MAX_EFFECT_BYTES = 300;
const MAX_JUSTIFICATION_BYTES = 1_000;
const MAX_URL_BYTES = 2_000;

/**
 * A proposal that waits. What is in it is an agent's text.
 * @param issueUrl of its run, where that has one
 * @param shown `null` when it cannot be read
 */
export function proposalMessage(
  id: string,
  { id: proposal, slug, tool, turn, at }: ProposalRow,
  issueUrl: string | undefined,
  shown: ShownProposal | null,
): Message {
  const effects = shown === null ? [] : effectOf(shown);
  return message(id, 'proposal', at, `bot-bottle proposals show ${shortProposalId(proposal)}`, {
    slug,
    subject: subjectOf(issueUrl),
    proposal,
    tool,
    turn,
    effect: effects.slice(0, MAX_EFFECTS).map((line) => cut(line, MAX_EFFECT_BYTES)),
    moreEffects: Math.max(0, effects.length - MAX_EFFECTS),
    justification: shown === null ? null : cut(shown.proposal.justification, MAX_JUSTIFICATION_BYTES),
  });
}

/** A run that froze. */
export function runMessage(id: string, { slug, agentName, issueUrl, reason, since }: FrozenRun): Message {
  const about = { slug, subject: subjectOf(issueUrl), agent: agentName, reason };
  return message(id, 'run', since, `bot-bottle logs ${slug}`, about);
}

/** So many at once that each by itself would be a flood. @param waiting not empty, oldest first */
export function summaryMessage(waiting: readonly Waiting[]): Message {
  const proposals = waiting.filter(({ kind }) => kind === 'proposal').length;
  const runs = waiting.length - proposals;
  const since = waiting[0]?.since ?? 0;
  const commands = [
    ...(proposals > 0 ? ['bot-bottle proposals'] : []),
    ...(runs > 0 ? ['bot-bottle orchestrate status'] : []),
  ];
  // The same for the same things, so that a receiver sees that it is told again.
  const id = `summary-${String(waiting.at(-1)?.since ?? 0)}-${String(proposals)}-${String(runs)}`;
  return message(id, 'summary', since, commands.join('; '), { proposals, runs });
}

/** Sent by `notify test`. */
export function testMessage(now: number): Message {
  return message(`test-${String(now)}`, 'test', now, 'bot-bottle notify test', {});
}

function message(id: string, kind: string, since: number, command: string, more: object): Message {
  const body = { id, kind, since: new Date(since).toISOString(), command, ...more };
  // A receiver may print it.
  return { id, body: escapeJson(JSON.stringify(body)) };
}

/** A run without an issue has a directory or a repository in its place. */
function subjectOf(issueUrl: string | undefined): string | null {
  return issueUrl !== undefined && /^https?:\/\//.test(issueUrl) ? cut(issueUrl, MAX_URL_BYTES) : null;
}

function cut(text: string, maxBytes: number): string {
  const kept = cutToBytes(text, maxBytes);
  return kept === text ? text : `${kept}…`;
}
