import type { FeedSource, ForgeFeed } from '../../domain/forge/forge-feed.js';
import type { Clock } from '../../domain/base/clock.js';
import type { Database } from '../../domain/run/stores.js';
import type { FindingDoor, ReconcileStore } from '../../domain/upkeep/reconcile.js';
import type { Log } from '../../domain/base/log.js';

/** Everything the reconciler needs; filled in by the worker's composition root. */
export interface ReconcilePorts {
  readonly feed: ForgeFeed;
  readonly door: FindingDoor;
  readonly store: ReconcileStore;
  readonly database: Pick<Database, 'forgeState' | 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ReconcileSettings;
}

export interface ReconcileSettings {
  /** What `FORGE_REPOS` comes to. */
  readonly sources: readonly FeedSource[];
  /** `FORGE_REPOS`, by name */
  readonly serves: (owner: string, repo: string) => boolean;
  /** Most requests to the forge in one pass: `FORGE_POLL_REQUESTS`. */
  readonly requests: number;
}
