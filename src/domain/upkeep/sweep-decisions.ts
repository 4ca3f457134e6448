/** What the sweeper does about what it found: pure, so that every case can be tried. */
import type { FoundContainer, FoundRun, LookedAtRun, SweepAction } from './sweep.js';

/** What is younger may be of a run that is just beginning or ending, milliseconds. */
export const SWEEP_MIN_AGE_MS = 5 * 60_000;

export interface SweepTerms {
  /** Epoch milliseconds. */
  readonly now: number;
  /** How long a frozen run keeps its containers; `null` for ever. */
  readonly archiveAfterMs: number | null;
  /** The host that is swept. */
  readonly host: string;
}

export interface SweepDecision {
  readonly actions: readonly SweepAction[];
  /** What was found now, for the next sweep. */
  readonly findings: readonly string[];
  /** How many of them were not there the last time. */
  readonly waiting: number;
}

/** Something that should not be: acted on when the sweep before found the very same. */
interface Suspicion {
  readonly finding: string;
  readonly action: SweepAction;
}

export function decideSweep(
  runs: readonly LookedAtRun[],
  previous: Pick<ReadonlySet<string>, 'has'>,
  terms: SweepTerms,
): SweepDecision {
  const suspicions = runs.flatMap((run) => suspicionsOf(run, terms));
  const again = suspicions.filter(({ finding }) => previous.has(finding));
  return {
    actions: [...again.map(({ action }) => action), ...runs.flatMap((run) => archiving(run, terms))],
    findings: suspicions.map(({ finding }) => finding),
    waiting: suspicions.length - again.length,
  };
}

function suspicionsOf(run: LookedAtRun, { now, host }: SweepTerms): Suspicion[] {
  const removal = removalOf(run, host);
  if (removal !== null) {
    const { slug, pinned } = run;
    // A run that begins has its directory before it has a name on an image: that has no age of its own.
    if (!hasThings(run))
      return pinned ? [{ finding: `pinned:${slug}`, action: { kind: 'unpin', slug } }] : [];
    const old = youngest(run) <= now - SWEEP_MIN_AGE_MS;
    const action = { kind: 'remove', run: foundOf(run), ...removal } as const;
    return old ? [{ finding: `over:${run.slug}`, action }] : [];
  }
  if (!isAlive(run)) return [];
  return [...forgottenContainers(run, now), ...(isFrozen(run) ? frozenButNot(run, now) : [])];
}

/** Why what is on this host of the run goes; `null` when it is needed, or nobody can tell. */
export function removalOf(
  run: LookedAtRun,
  host: string,
): { readonly why: string; readonly elsewhere: boolean } | null {
  if (isElsewhere(run, host)) return { why: 'it was moved to another host', elsewhere: true };
  const why = whyOver(run);
  return why === null ? null : { why, elsewhere: false };
}

/** Why the run has ended; `null` when it goes on, or nobody can tell. */
function whyOver({ slug, workflowId, state }: LookedAtRun): string | null {
  switch (state.kind) {
    case 'unknown':
      return null;
    case 'closed':
      return 'its workflow has ended';
    case 'gone':
      return workflowId === null ? 'nobody knows of it' : 'Temporal has no such workflow';
    case 'open':
      return state.slug === slug ? null : 'its workflow is in another life';
  }
}

/** It goes on, and on another host: what is here is of an earlier epoch. */
function isElsewhere(run: LookedAtRun, host: string): boolean {
  const { state } = run;
  return isAlive(run) && state.kind === 'open' && state.host !== null && state.host !== host;
}

function isAlive({ slug, state }: LookedAtRun): boolean {
  return state.kind === 'open' && state.slug === slug;
}

function isFrozen(run: LookedAtRun): boolean {
  return isAlive(run) && run.state.kind === 'open' && run.state.phase === 'frozen';
}

function hasThings({ containers, volumes, directory }: FoundRun): boolean {
  return containers.length > 0 || volumes.length > 0 || directory !== null;
}

function youngest({ containers, volumes, directory, secretsAt }: FoundRun): number {
  return Math.max(
    ...containers.map(({ createdAt, idleSince }) => Math.max(createdAt, idleSince)),
    ...volumes.map(({ createdAt }) => createdAt),
    directory?.changedAt ?? 0,
    secretsAt ?? 0,
  );
}

/** Whoever started a throw-away container waits for it and removes it; nobody waits for one that has stopped. */
function forgottenContainers({ slug, containers }: LookedAtRun, now: number): Suspicion[] {
  return containers
    .filter(({ role, running, idleSince }) => role === 'once' && !running && isOld(idleSince, now))
    .map(({ name, createdAt }) => ({
      finding: `once:${name}:${String(createdAt)}`,
      action: { kind: 'remove_container', slug, name, createdAt },
    }));
}

function frozenButNot(run: LookedAtRun, now: number): Suspicion[] {
  const { slug, secretsAt } = run;
  const suspicions: Suspicion[] = mainContainers(run)
    .filter(({ running, startedAt }) => running && isOld(Date.parse(startedAt), now))
    .map(({ role, name, startedAt }) => ({
      finding: `runs:${name}:${startedAt}`,
      action: { kind: 'stop', slug, role, startedAt },
    }));
  if (secretsAt !== null && isOld(secretsAt, now)) {
    const action = { kind: 'drop_secrets', slug, placedAt: secretsAt } as const;
    suspicions.push({ finding: `secrets:${slug}:${String(secretsAt)}`, action });
  }
  if (isLost(run)) suspicions.push({ finding: `lost:${slug}`, action: { kind: 'report_lost', slug } });
  return suspicions;
}

/** A turn was run here, and neither its session nor a snapshot of it is left. */
function isLost({ state, expected, containers, volumes, hasTranscript }: LookedAtRun): boolean {
  const hasHome = volumes.some(({ role }) => role === 'home');
  return (
    state.kind === 'open' && state.hasRun && expected && containers.length === 0 && !hasHome && !hasTranscript
  );
}

function archiving(run: LookedAtRun, { now, archiveAfterMs, host }: SweepTerms): SweepAction[] {
  if (isElsewhere(run, host)) return [];
  const containers = mainContainers(run);
  if (archiveAfterMs === null || run.workflowId === null || !isFrozen(run) || containers.length === 0)
    return [];
  const rested = containers.every(({ running, idleSince }) => !running && idleSince <= now - archiveAfterMs);
  return rested ? [{ kind: 'archive', slug: run.slug, workflowId: run.workflowId }] : [];
}

type MainContainer = FoundContainer & { readonly role: 'agent' | 'bundle' };

function mainContainers({ containers }: FoundRun): MainContainer[] {
  return containers.filter((one): one is MainContainer => one.role === 'agent' || one.role === 'bundle');
}

function isOld(at: number, now: number): boolean {
  return at <= now - SWEEP_MIN_AGE_MS;
}

function foundOf(run: LookedAtRun): FoundRun {
  const { state: _, ...found } = run;
  return found;
}
