import type { FeedComment, FeedPull, FeedReview, FeedSubject } from '../../domain/forge/forge-feed.js';
import type { Place } from '../../domain/forge/issue.js';
import type { Finding } from '../../domain/upkeep/reconcile.js';
import { isRowIn } from '../../domain/run/rows.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { sha256 } from '../base/sha256.js';
import { AGENT_LABEL_PREFIX, FORGE_CLOCK_GRAIN_MS } from '../../domain/forge/trigger.js';

/** A finding without the name of the forge, which is the same for all. */
export type Planned = Omit<Finding, 'forge'>;

/** A run's row with the time of the act that began it, the forge's clock, epoch milliseconds. */
export interface KnownRun {
  readonly row: ForgeStateRow;
  readonly triggerAt: number;
}

/**
 * What a subject that changed is posted as: something that may be a trigger, or that belongs to a run. Nothing for
 * everything else on the forge.
 * @param own rows of the runs whose issue or pull request it is, whether they go on or not
 */
export function changedFindings(subject: FeedSubject, own: readonly ForgeStateRow[]): Planned[] {
  const candidate =
    subject.state === 'open' && subject.labels.some((label) => label.startsWith(AGENT_LABEL_PREFIX));
  return own.length > 0 || candidate ? [stateFinding(subject, headRefOf(own, subject.number))] : [];
}

/** @param headRef branch of the run whose pull request it is, else `null` */
export function stateFinding(subject: FeedSubject, headRef: string | null): Planned {
  const { state, updatedAt, labels, assignees } = subject;
  const rest = digest(JSON.stringify([[...labels].sort(), [...assignees].sort()]));
  const seen = `${state} ${new Date(updatedAt).toISOString()} ${rest}`;
  return { ...about(subject, headRef), cause: { kind: 'state' }, seen };
}

/** Of a run that waits for its repository, which is there. Another finding each pass: the subject need not have changed. */
export function backFinding(subject: FeedSubject, row: ForgeStateRow, at: number): Planned {
  return {
    ...stateFinding(subject, headRefOf([row], subject.number)),
    seen: `back ${new Date(at).toISOString()}`,
  };
}

/**
 * A run's subject that is not there, nor anywhere else. Another finding each pass, for what is hidden for a moment is
 * not gone; whether it is, is decided behind the door.
 */
export function missingFinding(row: ForgeStateRow, place: Place, at: number): Planned {
  // Where its kind can't be asked for any more: a run whose pull request has its own number began as one.
  const isPull = row.prNumber === row.issueNumber;
  return {
    ...about({ place, number: row.issueNumber, isPull }, null),
    cause: { kind: 'state' },
    seen: `missing ${new Date(at).toISOString()}`,
  };
}

/** A run's pull request that is not there any longer, though its issue may be. */
export function goneFinding(place: Place, number: number, headRef: string | null): Planned {
  return { ...about({ place, number, isPull: true }, headRef), cause: { kind: 'state' }, seen: 'gone' };
}

/** What people wrote since the run began, under its issue or pull request. @param runs those that go on */
export function commentFindings(comment: FeedComment, place: Place, runs: readonly KnownRun[]): Planned[] {
  const { number, isPull, id, updatedAt, body } = comment;
  const own = runs.filter(
    ({ row, triggerAt }) =>
      isRowIn(row, place) &&
      (row.issueNumber === number || row.prNumber === number) &&
      updatedAt >= triggerAt - FORGE_CLOCK_GRAIN_MS,
  );
  if (own.length === 0) return [];
  return [
    {
      ...about({ place, number, isPull }, headRefOf(rowsOf(own), number)),
      cause: { kind: 'comment', commentId: id },
      seen: `${new Date(updatedAt).toISOString()} ${digest(body)}`,
    },
  ];
}

export function reviewFindings(
  subject: FeedSubject,
  headRef: string | null,
  reviews: readonly FeedReview[],
  since: number,
): Planned[] {
  return reviews
    .filter((review) => review.submittedAt >= since - FORGE_CLOCK_GRAIN_MS)
    .map((review) => ({
      ...about(subject, headRef),
      cause: { kind: 'review', reviewId: review.id },
      seen: new Date(review.submittedAt).toISOString(),
    }));
}

export function pushFinding(subject: FeedSubject, headRef: string | null, sha: string): Planned {
  return { ...about(subject, headRef), cause: { kind: 'push' }, seen: sha };
}

/** Once for each set of checks that fail on a head. */
export function checksFindings(pull: FeedPull, headRef: string | null, failed: readonly string[]): Planned[] {
  if (failed.length === 0) return [];
  const { sha } = pull.head;
  const seen = digest(JSON.stringify([...failed].sort()));
  return [{ ...about(pull, headRef), cause: { kind: 'checks', sha }, seen }];
}

/** Of a run's pull request: what orders it with its issue. A run that began as a pull request is its own. */
export function headRefOf(rows: readonly ForgeStateRow[], number: number): string | null {
  const row = rows.find(({ prNumber, issueNumber }) => prNumber === number && issueNumber !== number);
  return row === undefined || row.branch === '' ? null : row.branch;
}

export function rowsOf(runs: readonly KnownRun[]): ForgeStateRow[] {
  return runs.map(({ row }) => row);
}

/** Identifies a finding as the door does: by everything in it. */
export function digestOf(finding: Planned): string {
  return digest(JSON.stringify(finding));
}

function about(
  { place, number, isPull }: Pick<FeedSubject, 'place' | 'number' | 'isPull'>,
  headRef: string | null,
): Omit<Planned, 'cause' | 'seen'> {
  const { owner, repo, repoId } = place;
  return { owner, repo, repoId, number, isPull, headRef };
}

function digest(text: string): string {
  return sha256(text).slice(0, 16);
}
