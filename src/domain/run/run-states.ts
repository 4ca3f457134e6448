/** A run's workflow as it is now; asked for by its id, because lists lag behind. */
export type RunState =
  | {
      readonly kind: 'open';
      /** Of the life that goes on; `null` between two. */
      readonly slug: string | null;
      readonly phase: string;
      /** The host that it is on; `null` before one has taken it, and between two. */
      readonly host: string | null;
      /** Some turn of this life has been run. */
      readonly hasRun: boolean;
    }
  /** @property at epoch milliseconds */
  | { readonly kind: 'closed'; readonly at: number }
  /** Temporal knows of no such workflow. */
  | { readonly kind: 'gone' }
  /** It could not be asked. `away`: Temporal does not answer at all, so there is no use in asking for others. */
  | { readonly kind: 'unknown'; readonly why: string; readonly away: boolean };

export interface RunStates {
  /** Never throws: what goes wrong is `unknown`. */
  of(workflowId: string): Promise<RunState>;
  /** Id of an open workflow that claims the slug, by the list, which lags behind. Errors: Temporal's. */
  claimedBy(slug: string): Promise<string | undefined>;
}
