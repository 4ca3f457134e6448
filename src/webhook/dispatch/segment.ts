import type { Delivery } from '../../domain/forge/delivery.js';
import type { TextVersion } from '../../domain/forge/text-since-act.js';
import { readStoredHint, type Hint } from '../events/hint.js';

/** Consecutive deliveries that one signal can carry, in the order in which they came. */
export type Segment =
  | { readonly kind: 'malformed'; readonly deliveries: readonly Delivery[] }
  /** All about the same issue or PR: one read of it answers them all. */
  | (Told & { readonly kind: 'state' })
  /** Comments, reviews and pushes on subjects of one run. */
  | (Told & { readonly kind: 'references' });

interface Told {
  readonly deliveries: readonly Delivery[];
  readonly hints: readonly Hint[];
  /** These deliveries and what waits behind them. */
  readonly waiting: readonly Delivery[];
}

/**
 * The longest beginning of a subject's waiting deliveries that may be handled as one. What people wrote is never carried
 * past a change of state, or the other way round: a comment made before the trigger would reach the agent.
 * @param most deliveries in it
 */
export function firstSegment(waiting: readonly Delivery[], most = waiting.length): Segment {
  const deliveries: Delivery[] = [];
  const hints: Hint[] = [];
  for (const delivery of waiting.slice(0, most)) {
    const hint = readStoredHint(delivery.hint);
    const [first] = hints;
    if (hint === undefined) {
      if (first === undefined) return { kind: 'malformed', deliveries: [delivery] };
      break;
    }
    if (first !== undefined && !together(first, hint)) break;
    deliveries.push(delivery);
    hints.push(hint);
  }
  return { kind: hints[0]?.cause.kind === 'state' ? 'state' : 'references', deliveries, hints, waiting };
}

/**
 * What is known of a subject's text. A read answers for acts whose own deliveries wait further behind, and only those
 * tell which text was there then.
 */
export function textVersionsOf(waiting: readonly Delivery[], { subject, repoId }: Hint): TextVersion[] {
  return waiting.flatMap((delivery) => {
    const hint = readStoredHint(delivery.hint);
    const isOfIt = hint?.repoId === repoId && hint.subject.number === subject.number;
    return isOfIt ? (hint.textVersion ?? []) : [];
  });
}

function together(first: Hint, other: Hint): boolean {
  if (first.repoId !== other.repoId || !sameName(first, other)) return false;
  if (first.cause.kind !== 'state' || other.cause.kind !== 'state') {
    return first.cause.kind !== 'state' && other.cause.kind !== 'state';
  }
  return first.subject.number === other.subject.number && first.isPull === other.isPull;
}

function sameName(first: Hint, other: Hint): boolean {
  return first.subject.owner === other.subject.owner && first.subject.repo === other.subject.repo;
}
