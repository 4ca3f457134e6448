import type { AdminTarget } from '../../domain/forge/forge-admin.js';

export interface ForgeSetupRequest {
  readonly targets: readonly AdminTarget[];
  readonly url: string | null;
  readonly adminToken: string | null;
  readonly dryRun: boolean;
  readonly remove: boolean;
  readonly test: boolean;
  readonly webhook: boolean;
  /** Also for agents that cannot run, and for stand-ins. */
  readonly allLabels: boolean;
  readonly waitMs: number;
  /** Aborts when it is to end: between two targets, and while a delivery is waited for. */
  readonly ending: AbortSignal;
}
