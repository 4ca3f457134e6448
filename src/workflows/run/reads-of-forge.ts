/** How fresh reads of the forge change what a run believes about its subject and pull requests. Pure. */
import type { Observed } from '../../domain/run/events.js';
import type { Place } from '../../domain/forge/issue.js';
import { livingOf } from './phase.js';
import type { Closing, IssueState, Life } from './state.js';

/** A repository keeps its id when it is renamed or transferred; another one under its name is none of this run's. */
export function absorbPlace(s: IssueState, place: Place): 'same' | 'moved' | 'foreign' {
  const known = s.place;
  const lives = livingOf(s) !== null;
  if (known !== null && known.repoId !== place.repoId && lives) return 'foreign';
  s.place = place;
  const moved = known !== null && (known.owner !== place.owner || known.repo !== place.repo);
  return moved && lives ? 'moved' : 'same';
}

/** Two machines' clocks differ by less, milliseconds. */
const SKEW_MS = 5 * 60_000;

/** Most closed pull requests kept that are none of the run's, as far as it knows. */
const MAX_CLOSED = 5;
/** Most that are taken for the run's own. */
const MAX_PRS = 100;

/**
 * Takes the reads in; older ones than already known change nothing. True when the subject's read is not stale.
 * @param now epoch milliseconds
 */
export function absorbObserved(s: IssueState, event: Observed, now: number): boolean {
  // What was read in the future was read before the clock was set back: any read is later.
  const isOlder = (knownAt: number): boolean => event.readAt < knownAt && knownAt <= now + SKEW_MS;
  if (s.life !== null) absorbPrs(s.life, event, isOlder);
  if (isOlder(s.observedAt)) return false;
  s.observedAt = event.readAt;
  if (event.aheadMs === undefined) delete s.forgeAheadMs;
  else s.forgeAheadMs = event.aheadMs;
  return true;
}

/** A moment of our clock, by the forge's: what ends a life is compared with acts there. */
export function onForge({ forgeAheadMs = 0 }: IssueState, at: number): number {
  return at + forgeAheadMs;
}

function absorbPrs(life: Life, { prs, readAt }: Observed, isOlder: (knownAt: number) => boolean): void {
  for (const pr of prs) {
    const known = life.prs.find((other) => other.number === pr.number);
    // Never seen open in this life: an earlier one's, which the row still named when the forge was read, or one just opened.
    if (known === undefined && !pr.open) {
      const others = (life.closedPrs ?? []).filter((other) => other.number !== pr.number);
      life.closedPrs = [...others, { ...pr, readAt }].slice(-MAX_CLOSED);
      continue;
    }
    if (known !== undefined && isOlder(known.readAt)) continue;
    const rest = life.prs.filter((other) => other.number !== pr.number);
    life.prs = [...rest, { number: pr.number, open: pr.open, readAt }].slice(-MAX_PRS);
  }
}

/**
 * The run ends when its last open PR was closed, merged or not, or when the issue is closed and no PR of the run is
 * open.
 */
export function closingOf(life: Life, event: Observed, fresh: boolean): Closing | null {
  if (openPrs(life).length > 0) return null;
  const seenAt = event.readAt + (event.aheadMs ?? 0);
  const byPr = closingByPr(life, event.prs, seenAt);
  if (byPr !== null) return byPr;
  if (fresh && isOver(event, life.trigger.actAt))
    return { at: event.closedAt ?? seenAt, why: 'issue closed' };
  return null;
}

/** @param seenAt when it was seen to be so, by the forge's clock */
function closingByPr(life: Life, prs: Observed['prs'], seenAt: number): Closing | null {
  // A PR of an earlier life was closed before this one was triggered.
  const since = life.trigger.actAt;
  const isOurs = (number: number): boolean => life.prs.some((known) => known.number === number);
  const closedPr = prs.find(
    (pr) => !pr.open && isOurs(pr.number) && (pr.closedAt === null || pr.closedAt > since),
  );
  if (closedPr === undefined) return null;
  const how = closedPr.merged ? 'merged' : 'closed';
  return { at: closedPr.closedAt ?? seenAt, why: `PR #${String(closedPr.number)} ${how}` };
}

/** What is open again was closed all the same, if somebody has asked for another run since. */
function isOver({ open, closedAt, trigger }: Observed, since: number): boolean {
  return !open || (trigger !== null && closedAt !== null && closedAt > since);
}

export function openPrs({ prs }: Life): number[] {
  return prs.filter((pr) => pr.open).map((pr) => pr.number);
}

/** The one the run published or was given last, open or not. */
export function latestPr({ prs }: Life): number | null {
  return prs.at(-1)?.number ?? null;
}

/** The one that the run's row names: the last that is open, or else the last of all. */
export function shownPr(life: Life): number | null {
  return openPrs(life).at(-1) ?? latestPr(life);
}

/**
 * A PR the publish gate just opened or updated: any read of the forge that knows it is later. Not `null` when the run is to
 * end, since it was seen closed before that was heard of.
 */
export function absorbOpened(life: Life, number: number): Closing | null {
  if (life.prs.some((pr) => pr.number === number)) return null;
  life.prs = [...life.prs, { number, open: true, readAt: 0 }];
  const closed = life.closedPrs?.find((pr) => pr.number === number);
  if (closed === undefined) return null;
  const closing = closingByPr(life, [closed], closed.readAt);
  // One of an earlier life was closed before, and is open again.
  if (closing === null) return null;
  life.prs = [...life.prs.slice(0, -1), { number, open: false, readAt: closed.readAt }];
  return openPrs(life).length > 0 ? null : closing;
}
