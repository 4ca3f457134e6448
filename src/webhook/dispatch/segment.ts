import type { Delivery } from '../../domain/forge/delivery.js';
import { readStoredHint, type Hint } from '../events/hint.js';

/** Consecutive deliveries that one signal can carry, in the order in which they came. */
export type Segment =
  | { readonly kind: 'malformed'; readonly deliveries: readonly Delivery[] }
  /** All about the same issue or PR: one read of it answers them all. */
  | { readonly kind: 'state'; readonly deliveries: readonly Delivery[]; readonly hints: readonly Hint[] }
  /** Comments, reviews and pushes on subjects of one run. */
  | {
      readonly kind: 'references';
      readonly deliveries: readonly Delivery[];
      readonly hints: readonly Hint[];
    };

/**
 * The longest beginning of a subject's waiting deliveries that may be handled as one. What people wrote is never carried
 * past a change of state, or the other way round: a comment made before the trigger would reach the agent.
 */
export function firstSegment(waiting: readonly Delivery[]): Segment {
  const deliveries: Delivery[] = [];
  const hints: Hint[] = [];
  for (const delivery of waiting) {
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
  return { kind: hints[0]?.cause.kind === 'state' ? 'state' : 'references', deliveries, hints };
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
