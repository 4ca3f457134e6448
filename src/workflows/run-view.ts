/** What others see of the machine's state. Pure. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { RunRef, RunSnapshot } from '../activities/inputs.js';
import { isLocal, workflowIdOf } from '../domain/issue.js';
import { addAmounts, usd } from '../domain/budget.js';
import { openPrs } from './machine-forge.js';
import type { MachineState } from './machine-state.js';
import type { RunView } from './messages.js';

export function viewOf(s: MachineState): RunView {
  return {
    subject: s.subject,
    slug: s.life?.slug ?? null,
    phase: s.phase,
    reason: s.phase === 'frozen' ? s.frozenReason : null,
    detail: s.detail,
    turn: s.turn,
    host: s.host,
    agent: s.life?.trigger.agent ?? null,
    prs: openPrs(s),
    sessionId: s.sessionId,
    mailbox: s.mailbox.length,
    watchdogFired: s.watchdogFired,
    lastTurn: s.lastTurn,
    spent: s.spent,
    budget: addAmounts(s.policy.budget, s.raised),
    resumeAt: s.resumeAt,
  };
}

/** The run in Markdown, for Temporal's UI. */
export function detailsOf(s: MachineState): string {
  const view = viewOf(s);
  const lines = [
    `**${view.phase}**${view.reason === null ? '' : ` (${view.reason})`} · turn ${String(view.turn)} · \`${view.slug ?? 'no run'}\``,
    view.detail === null ? '' : `> ${view.detail.replace(/\s+/g, ' ').replace(/[<>`]/g, ' ')}`,
    usedLine(view),
    '',
    ...s.timeline
      .slice(-15)
      .map((entry) => `- ${new Date(entry.at).toISOString()} ${entry.what.replace(/[<>`]/g, ' ')}`),
  ];
  return lines.join('\n');
}

function usedLine({ spent, budget }: RunView): string {
  const tokens = `${String(spent.tokens)} of ${String(budget.tokens)} tokens`;
  return `${String(spent.turns)} of ${String(budget.turns)} turns, ${tokens}, ${usd(spent.microUsd)} of ${usd(budget.microUsd)} USD`;
}

export function runRef(s: MachineState, slug = needed(s.life, 'life').slug): RunRef {
  const { owner, repo } = s.place ?? s.subject;
  const workflowId = workflowIdOf(s.subject);
  const repoId = isLocal(s.subject) ? null : (s.place?.repoId ?? null);
  const source = s.life?.trigger.operator?.source;
  const ref = { workflowId, repoId, subject: { ...s.subject, owner, repo }, slug, turn: s.turn };
  return source === undefined ? ref : { ...ref, source };
}

export function snapshotOf(s: MachineState): RunSnapshot {
  return { phase: s.phase, reason: s.frozenReason, host: s.host, prNumber: openPrs(s).at(-1) ?? null };
}

/** The machine only gives commands in states that have what they need; anything else is a bug to stop at. */
export function needed<T>(value: T | null, what: string): T {
  if (value === null) throw ApplicationFailure.nonRetryable(`no ${what} in this state`, 'MachineBug');
  return value;
}
