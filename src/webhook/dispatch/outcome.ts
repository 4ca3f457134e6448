/** What became of a delivery; each is final, and stands in the append-only rows. */
export type DispatchOutcome =
  | 'started' // a verified new trigger was handed to the workflow, started if need be
  | 'signalled'
  | 'no_run' // late, repeated, or about something no agent works on
  | 'covered' // a read that began after the delivery came, or that found the same just now, has been signalled
  | 'own' // the bot's own doing
  | 'ignored' // by an account of FORGE_WAKE_IGNORE
  | 'not_allowed'
  | 'not_mentioned'
  | 'not_failing' // no check fails on the head that does not fail on the base, too
  | 'gone' // not on the forge any longer
  | 'unserved' // of a repository that FORGE_REPOS does not name, or that is out of sight
  | 'malformed';

export interface DeliveryResult {
  readonly outcome: DispatchOutcome;
  /** What an auditor wants beside it: keys of references, the refusal's reason. No text of strangers. */
  readonly detail: string;
}

/**
 * What became of deliveries handled together: a result for each, in order, or for the first of them; or not yet. Times
 * are epoch milliseconds.
 */
export type Handled =
  | {
      readonly kind: 'done';
      readonly results: readonly DeliveryResult[];
      /** When somebody had asked for the run that this began. */
      readonly startedBy?: number;
    }
  | { readonly kind: 'held'; readonly until: number };

/** One read answered them all: it counts for the first, and covers the others. */
export function oneForAll(
  count: number,
  outcome: DispatchOutcome,
  detail: string,
): Extract<Handled, { kind: 'done' }> {
  const results = Array.from({ length: count }, (_, index): DeliveryResult =>
    index === 0 ? { outcome, detail } : { outcome: 'covered', detail: '' },
  );
  return { kind: 'done', results };
}

export function allOf(count: number, outcome: DispatchOutcome, detail = ''): Handled {
  return { kind: 'done', results: Array.from({ length: count }, () => ({ outcome, detail })) };
}
