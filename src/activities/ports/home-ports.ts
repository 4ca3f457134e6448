import type { AgentProvider } from '../../domain/agent/agent-provider.js';
import type { NeedsWorld } from '../../domain/agent/agent-needs.js';
import type { Agents } from '../../domain/agent/agents.js';
import type { Amounts } from '../../domain/run/budget.js';
import type { Clock } from '../../domain/base/clock.js';
import type { ForgeFor } from '../../domain/forge/forge.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { BlobStore } from '../../domain/run/run-files.js';
import type { Signer } from '../../domain/provenance/seal.js';
import type { Database } from '../../domain/run/stores.js';
import type { AccessSettings } from '../../domain/forge/access.js';
import type { AuditLog, ProposalFiles } from '../../domain/supervise/proposal-records.js';
import type { Log } from '../../domain/base/log.js';

/** Everything the home machine's activities need; filled in by the worker's composition root. */
export interface HomePorts {
  readonly forgeFor: ForgeFor;
  readonly agents: Agents;
  readonly provider: (name: string) => AgentProvider;
  readonly blobs: BlobStore;
  readonly database: Database;
  readonly proposalFiles: ProposalFiles;
  readonly auditLog: AuditLog;
  readonly signer: Signer;
  /** Whether a route may have it. */
  readonly secret: NeedsWorld['secret'];
  /** Whether anybody may have a host below it, such as `co.uk`. */
  readonly isPublicSuffix: (host: string) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** The one host there is; `null` where several claim runs. */
  readonly soleHost: string | null;
  readonly settings: HomeSettings;
}

export interface HomeSettings {
  readonly access: AccessSettings;
  /** `FORGE_ACK` */
  readonly reacts: boolean;
  /** `FORGE_PUBLISH` */
  readonly publish: PublishPlace;
  /** What all runs together may use in a day (UTC). */
  readonly dayBudget: Amounts;
}
