/** What others see of the machine's state. Pure. */
import { localSubject } from '../domain/forge/issue.js';
import { addAmounts, NOTHING, usd } from '../domain/run/budget.js';
import type { SyncOrder, SyncOutcome } from '../domain/sync/sync.js';
import type { RunOutcome, RunView } from './messages.js';
import { openPrs } from './run/reads-of-forge.js';
import { silenceOf } from './run/host.js';
import { waiting } from './run/supervise/proposals-read.js';
import { livingOf, phaseOf, reasonOf, silentSince } from './run/phase.js';
import type { IssueState } from './run/state.js';
import type { RunAbout } from './version.js';

/** Of a life that is over: what its last turn gave, until the next one begins. */
export function viewOf(s: IssueState): RunView {
  const { life } = s;
  const living = livingOf(s);
  return {
    subject: s.subject,
    slug: living?.slug ?? null,
    phase: phaseOf(s),
    reason: reasonOf(s),
    detail: living === null ? (life?.detail ?? null) : (silenceOf(living) ?? living.detail),
    turn: life?.turn.number ?? 0,
    host: life?.host ?? null,
    hostSilentSince: silentSince(s),
    epoch: life?.epoch ?? 0,
    agent: living?.trigger.agent ?? null,
    prs: life === null ? [] : openPrs(life),
    sessionId: life?.session.id ?? null,
    mailbox: life?.mailbox.waiting.length ?? 0,
    proposals: living === null ? 0 : waiting(living).length,
    watchdogFired: life?.turn.watchdogFired ?? false,
    lastTurn: life?.lastTurn ?? null,
    spent: life?.budget.spent ?? NOTHING,
    budget: addAmounts(s.policy.budget, life?.budget.raised ?? NOTHING),
    resumeAt: life?.stage.kind === 'frozen' ? life.stage.resumeAt : null,
  };
}

/** Of a sync that has begun, as of any run: for `status`, the dashboard and the sweeper. */
export function viewOfSync(slug: string, order: SyncOrder): RunView {
  return {
    ...{ subject: localSubject(slug), slug, agent: order.manifest ?? 'sync', turn: 1, phase: 'launching' },
    ...{ reason: null, detail: null, host: null, hostSilentSince: null, epoch: 0, prs: [], sessionId: null },
    ...{ mailbox: 0, proposals: 0, watchdogFired: false, lastTurn: null, resumeAt: null },
    ...{ spent: NOTHING, budget: NOTHING },
  };
}

/** In Markdown, for Temporal's UI. */
export function detailsOfSync({ status, reason, prUrl, runDir, slug }: SyncOutcome): string {
  const lines = [
    `**${status}**${slug === null ? '' : ` · \`${slug}\``}`,
    quoted(reason),
    ...(prUrl === null ? [] : [`pull request: ${prUrl}`]),
    ...(runDir === null ? [] : [`run directory: \`${runDir}\``]),
  ];
  return lines.join('\n\n');
}

function quoted(text: string): string {
  return `> ${text.replace(/\s+/g, ' ').replace(/[<>`]/g, ' ')}`;
}

/** `null` when no life ever began. */
export function outcomeOf({ life }: IssueState): RunOutcome | null {
  if (life === null) return null;
  return {
    slug: life.slug,
    agent: life.trigger.agent,
    prs: life.prs.map(({ number }) => number),
    turns: life.budget.spent.turns,
    spent: life.budget.spent,
    why: life.closing?.why ?? life.detail ?? 'not begun',
  };
}

/** The run in Markdown, for Temporal's UI. @param about of an execution that has no summary of its own */
export function detailsOf(s: IssueState, about?: RunAbout): string {
  const view = viewOf(s);
  const lines = [
    ...(about === undefined ? [] : [`${about.issue} ${about.url}`, '']),
    `**${view.phase}**${view.reason === null ? '' : ` (${view.reason})`} · turn ${String(view.turn)} · \`${view.slug ?? 'no run'}\``,
    view.detail === null ? '' : quoted(view.detail),
    usedLine(view),
    view.proposals === 0 ? '' : `${String(view.proposals)} waiting: \`bot-bottle proposals\``,
    '',
    ...(s.life?.timeline ?? [])
      .slice(-15)
      .map((entry) => `- ${new Date(entry.at).toISOString()} ${entry.what.replace(/[<>`]/g, ' ')}`),
  ];
  return lines.join('\n');
}

function usedLine({ spent, budget }: RunView): string {
  const tokens = `${String(spent.tokens)} of ${String(budget.tokens)} tokens`;
  return `${String(spent.turns)} of ${String(budget.turns)} turns, ${tokens}, ${usd(spent.microUsd)} of ${usd(budget.microUsd)} USD`;
}
