import type { Agents } from '../../domain/agent/agents.js';
import type { Observed, ObservedPr, Trigger } from '../../domain/run/events.js';
import { unlessNotFound } from '../../domain/base/errors.js';
import { isHeadOfOurs, openingOf } from '../../domain/forge/issue.js';
import type { ForgeUser, Issue, Place, PullRequest, TimelineAct } from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import { isLiving, type ForgeStateRow } from '../../domain/run/rows.js';
import type { TextVersion } from '../../domain/forge/text-since-act.js';
import type { Access } from '../../domain/forge/access.js';
import type { Hint } from '../events/hint.js';
import { verifyTrigger } from './verify-trigger.js';
import type { TriggerVerdict } from './verify-trigger.js';

export interface ObserveWorld {
  readonly forge: Forge;
  readonly access: Access;
  readonly agents: Agents;
  readonly org: string;
  /** Being asked for: beside the other reads, not before them. */
  readonly bot: Promise<ForgeUser>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type Observation =
  | {
      readonly kind: 'observed';
      readonly event: Observed;
      readonly issue: Issue;
      /** Set when the subject is itself one. */
      readonly pull: PullRequest | null;
      readonly refusal: TriggerVerdict['refusal'];
      readonly edited: TriggerVerdict['edited'];
    }
  /** Under this name there is no such issue (any longer), or it is hidden. */
  | { readonly kind: 'missing' };

/**
 * Reads a run's subject and its pull requests fresh, all at once, and applies the trigger rule.
 * @param number the subject's own, which the hint's is not when that is about a pull request of the run
 * @param textVersions of what the hint is about, as deliveries told them
 * Errors: `ForgeHttpError` other than 404.
 */
export async function observeSubject(
  world: ObserveWorld,
  place: Place,
  number: number,
  row: ForgeStateRow | undefined,
  hint: Hint,
  textVersions: readonly TextVersion[] = [],
): Promise<Observation> {
  const { forge, access } = world;
  const readAt = world.now();
  askAhead(access, hint);
  const pullOfRun = hint.isPull && hint.subject.number !== number ? hint.subject.number : null;
  const pullsOfRun = readPulls(world, row, number, pullOfRun);
  const reads = Promise.all([
    forge.readIssue(number),
    forge.readTimeline(number),
    pullsOfRun,
    pullsOfRun.then((pulls) => readReopenings(forge, pulls, pullOfRun)),
    hint.isPull && pullOfRun === null ? forge.readPr(number) : null,
    world.bot,
  ]);
  const results = await unlessNotFound(reads);
  if (results === undefined) return { kind: 'missing' };
  const [issue, timeline, pulls, reopened, knownPull, bot] = results;
  const pull = issue.isPull ? (knownPull ?? (await forge.readPr(number))) : null;
  const verdict = await verifyTrigger(
    {
      ...{ issue, pull, timeline: [openingOf(issue), ...timeline, ...reopened], bot },
      // Of a pull request of the run they say nothing about the issue.
      textVersions: pullOfRun === null ? textVersions : [],
    },
    access,
    (name, bottles) => world.agents.findOrRefuse({ name, bottles, repo: place, forge }),
    world.org,
  );
  const event: Observed = {
    kind: 'observed',
    readAt,
    ...(forge.aheadMs === 0 ? {} : { aheadMs: forge.aheadMs }),
    open: issue.state === 'open',
    closedAt: timeOf(issue.closedAt ?? lastCloseIn(timeline)),
    triggered: verdict.triggered,
    trigger: verdict.trigger && {
      ...verdict.trigger,
      pull: pullOf(verdict.trigger, issue, pullOfRun, reopened),
    },
    prs: [...pulls, ...(pull === null ? [] : [toObserved(pull)])],
    place,
  };
  const { refusal, edited } = verdict;
  return { kind: 'observed', event, issue, pull, refusal, edited };
}

/** Of an issue that is open again the forge itself gives no time. */
function lastCloseIn(timeline: readonly TimelineAct[]): string | null {
  return timeline.findLast(({ kind }) => kind === 'closed')?.at ?? null;
}

/** What the run works on from its beginning: the pull request that is its subject, or the one whose reopening asks for it. */
function pullOf(
  trigger: Trigger,
  issue: Issue,
  pullOfRun: number | null,
  reopened: readonly TimelineAct[],
): number | null {
  if (issue.isPull) return issue.number;
  return reopened.some((act) => act.id === trigger.actId) ? pullOfRun : null;
}

/** Starts the questions that a trigger will most likely raise, beside the first reads instead of after them. */
function askAhead(access: Access, hint: Hint): void {
  for (const login of hint.likelyAssignees) void access.isMember(login);
  if (hint.likelyAssignees.length > 0 && hint.sender !== null) void access.mayTrigger(hint.sender.login);
}

/**
 * Reopening a run's PR is a trigger act as well, and stands in the PR's own timeline. Asked whatever the row says: a run
 * that is being destroyed is not yet destroyed there. Not of one that is gone: for that Gitea answers 500.
 */
async function readReopenings(
  forge: Forge,
  pulls: readonly ObservedPr[],
  pullOfRun: number | null,
): Promise<TimelineAct[]> {
  const open = pulls.find((pull) => pull.number === pullOfRun && pull.open);
  if (open === undefined) return [];
  return (await forge.readTimeline(open.number)).filter((act) => act.kind === 'reopened');
}

/** @param subject the run's own, which is there if the repository is */
async function readPulls(
  { forge, bot }: Pick<ObserveWorld, 'forge' | 'bot'>,
  row: ForgeStateRow | undefined,
  subject: number,
  pullOfRun: number | null,
): Promise<ObservedPr[]> {
  const known = row?.prNumber === row?.issueNumber ? null : (row?.prNumber ?? null);
  const numbers = new Set([pullOfRun, known].filter((number) => number !== null));
  // Opened a moment ago, perhaps, and not in the row yet.
  const branch = row?.prNumber === null && isLiving(row) ? row.branch : '';
  const [onBranch, ...pulls] = await Promise.all([
    branch === '' ? undefined : unlessNotFound(forge.findOpenPrByHead(branch)),
    ...[...numbers].map((number) => readUnlessHidden(forge, number, subject)),
  ]);
  const us = await bot;
  return [...pulls, onBranch].flatMap((pull) => {
    if (pull === undefined) return [];
    if ('gone' in pull) return { number: pull.gone, open: false, merged: false, closedAt: null };
    // Anybody's fork may name its branch like the run's: such a PR is not the run's, and closing it must not end the run.
    // The row's own is the run's whatever became of its head: the fork may be deleted or given away, the bot replaced.
    return pull.number === known || isHeadOfOurs(pull, us) ? toObserved(pull) : [];
  });
}

/**
 * `gone`: it was deleted. `undefined`: no pull request is shown to us, so nothing is known of this one. Errors: 404 where
 * not even the run's own subject is there: who takes us out ends no run.
 */
async function readUnlessHidden(
  forge: Forge,
  number: number,
  subject: number,
): Promise<PullRequest | { readonly gone: number } | undefined> {
  const pull = await unlessNotFound(forge.readPr(number));
  if (pull !== undefined) return pull;
  if (!(await forge.canRead('pulls'))) return undefined;
  await forge.readIssue(subject);
  return { gone: number };
}

function toObserved(pull: PullRequest): ObservedPr {
  return {
    number: pull.number,
    open: pull.state === 'open',
    merged: pull.merged,
    closedAt: timeOf(pull.closedAt),
  };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
