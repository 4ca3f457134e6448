import type { ApiTokens } from '../../domain/api/api-token.js';
import type { Database } from '../../domain/run/stores.js';
import type { Orchestrator } from '../../cli/base/orchestrator.js';
import type { ProvenanceDesk } from '../../cli/base/provenance-desk.js';
import type { RunLogs } from '../../cli/base/run-logs.js';

export interface ApiDeps {
  readonly tokens: Pick<ApiTokens, 'find'>;
  readonly database: Pick<Database, 'runList' | 'runs' | 'operatorLog' | 'changes'>;
  readonly provenance: Pick<ProvenanceDesk, 'record' | 'verify'>;
  readonly logs: RunLogs;
  /** What is done is done in the name that is given (`isOperatorName`). */
  readonly orchestrator: (by: string) => Orchestrator;
  /** Names in `Host` that are answered beside those of loopback, without a port. */
  readonly hosts: readonly string[];
  /** Name of this machine: with the token's id it says who gave a command. */
  readonly machine: string;
  /** Requests of one token in a minute. */
  readonly requestsPerMinute: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  onError(message: string, error: unknown): void;
}
