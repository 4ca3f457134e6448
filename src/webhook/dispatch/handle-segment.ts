import { isNotFound } from '../../domain/base/errors.js';
import { workflowIdOf } from '../../domain/forge/issue.js';
import type { PullRequest } from '../../domain/forge/issue.js';
import type { Addressee, HandleDeps } from './dispatch-deps.js';
import { isNamed, servedPlace } from './find-place.js';
import { handleReferences, type Wakers } from './handle-references.js';
import { createStateHandler } from './handle-state.js';
import { withOwnHead, withPullOfCommit, type Hint } from '../events/hint.js';
import { identityOf, isLiving } from '../../domain/run/rows.js';
import { allOf } from './outcome.js';
import type { Handled } from './outcome.js';
import { RecentKeys } from './recent-keys.js';
import type { RunLookup } from './run-lookup.js';
import type { Segment } from './segment.js';

/** While a turn runs, at most one signal an issue in this time: each costs events of a history that must last the turn. */
const SIGNAL_GAP_MS = 2_000;

/** Hints that go together, and where to. */
interface OneRuns {
  readonly to: Addressee;
  readonly latest: Hint;
  readonly count: number;
}

/**
 * Carries deliveries of one subject to its run's workflow: a hint that a subject changed becomes a fresh read of it, or
 * references to what somebody wrote. Those behind the last one that has a result are another run's, and wait. Errors:
 * whatever forge and gateway throw; nothing was lost then, it may be tried again.
 */
export function createSegmentHandler(deps: HandleDeps): (segment: Segment) => Promise<Handled> {
  const signalledAt = new RecentKeys<number>(10_000);
  const handleState = createStateHandler(deps);

  async function handle(told: Exclude<Segment, { kind: 'malformed' }>): Promise<Handled> {
    const hints = await pullsOfCommits(await ownHeads(told.hints));
    if (hints === undefined) return allOf(told.deliveries.length, 'no_run');
    const one = await ofOneRun(hints);
    if (one === undefined) return allOf(told.deliveries.length, 'malformed');
    const { to, latest, count } = one;
    const segment = { ...told, hints: hints.slice(0, count), deliveries: told.deliveries.slice(0, count) };
    const id = workflowIdOf(to.identity);
    const wait = (signalledAt.get(id) ?? 0) + SIGNAL_GAP_MS - deps.now();
    // Longer than the gap is a clock that was set back since.
    if (to.row?.status === 'running' && wait > 0 && wait <= SIGNAL_GAP_MS)
      return { kind: 'held', until: deps.now() + wait };
    const handled =
      segment.kind === 'state'
        ? await handleState(segment, to)
        : await behindTheirTrigger(segment, to, latest);
    if (wasSignalled(handled)) signalledAt.set(id, deps.now());
    return handled;
  }

  /**
   * Deliveries may come in another order than their acts: what was written to a run that nobody has begun yet begins it,
   * if somebody asked for it, and follows what was asked.
   */
  async function behindTheirTrigger(
    segment: Extract<Segment, { kind: 'references' }>,
    to: Addressee,
    latest: Hint,
  ): Promise<Handled> {
    const wakers = await wakersOf(to);
    const handled = await handleReferences(deps, wakers, segment, to);
    const isWaitedFor =
      segment.hints.some(({ cause }) => cause.kind !== 'checks') &&
      handled.kind === 'done' &&
      handled.results.some(({ outcome }) => outcome === 'no_run');
    const hadRun = to.row?.status === 'destroyed';
    if (!isWaitedFor || !(hadRun || latest.likelyAssignees.length > 0)) return handled;
    const seen = await handleState({ ...segment, kind: 'state' }, to);
    if (seen.kind !== 'done' || seen.startedBy === undefined) return handled;
    return handleReferences(deps, wakers, segment, to, seen.startedBy);
  }

  /**
   * As many of them, from the first on, as are one run's. A pull request of an earlier life is ordered with its issue, but
   * is not of the run that the issue has now.
   */
  async function ofOneRun(hints: readonly Hint[]): Promise<OneRuns | undefined> {
    let one: OneRuns | undefined;
    for (const hint of hints) {
      const to =
        one !== undefined && isSameSubject(one.latest, hint) ? one.to : await addresseeOf(deps.runs, hint);
      if (one !== undefined && workflowIdOf(to.identity) !== workflowIdOf(one.to.identity)) return one;
      one = { to, latest: hint, count: (one?.count ?? 0) + 1 };
    }
    return one;
  }

  /** Asks who the bot is only where a pull request is from a fork. */
  async function ownHeads(hints: readonly Hint[]): Promise<readonly Hint[]> {
    const [fromFork] = hints.filter((hint) => hint.forkHead !== null);
    if (fromFork === undefined) return hints;
    const bot = await deps.forgeFor(fromFork.subject).whoAmI();
    return hints.map((hint) => withOwnHead(hint, bot));
  }

  /** Deliveries of one commit come together; `undefined`: it is the head of no open pull request of ours. */
  async function pullsOfCommits(hints: readonly Hint[]): Promise<readonly Hint[] | undefined> {
    const ofCommit = hints.find((hint) => hint.cause.kind === 'checks' && hint.subject.number === 0);
    if (ofCommit?.cause.kind !== 'checks') return hints;
    const pull = await pullOfCommit(ofCommit, ofCommit.cause.sha);
    return pull && hints.map((hint) => withPullOfCommit(hint, pull));
  }

  async function pullOfCommit(hint: Hint, sha: string): Promise<PullRequest | undefined> {
    try {
      return await deps.forgeFor(hint.subject).findOpenPrByCommit(sha);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const place = await servedPlace(deps, hint);
      if (place === undefined || isNamed(place, hint.subject)) return undefined;
      return deps.forgeFor({ ...hint.subject, ...place }).findOpenPrByCommit(sha);
    }
  }

  /** What may wake a run, its bottle says, where it says so. */
  async function wakersOf({ row }: Addressee): Promise<Wakers> {
    const asks = row !== undefined && isLiving(row);
    const rule = asks ? await deps.agents.wakeOf(row.bottleNames) : { people: null, checks: false };
    const { settings } = deps;
    const wake = rule.people ?? settings.wake;
    return { people: { ...settings, wake }, checks: rule.checks };
  }

  return (segment) =>
    segment.kind === 'malformed'
      ? Promise.resolve(allOf(segment.deliveries.length, 'malformed'))
      : handle(segment);
}

function isSameSubject(one: Hint, other: Hint): boolean {
  return (
    one.subject.number === other.subject.number &&
    one.isPull === other.isPull &&
    one.headRef === other.headRef
  );
}

/** A run that goes on keeps the name it began with, whatever its repository is called now. */
async function addresseeOf(runs: RunLookup, hint: Hint): Promise<Addressee> {
  const row = await runs.find(hint);
  if (row === undefined) return { row, identity: hint.subject };
  if (isLiving(row)) return { row, identity: identityOf(row) };
  return { row, identity: { ...hint.subject, number: row.issueNumber } };
}

function wasSignalled(handled: Handled): boolean {
  return (
    handled.kind === 'done' &&
    handled.results.some(({ outcome }) => outcome === 'signalled' || outcome === 'started')
  );
}
