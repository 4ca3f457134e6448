import type { AgentOutcome, ReportedUse, StreamReader } from '../../domain/agent/agent-stream.js';
import type { ModelUse } from '../../domain/run/model-use.js';
import type { Target } from './orchestrator.js';

/** What runs leave of their agents' output on this machine. Needs no Temporal, and for a slug no database. */
export interface RunLogs {
  /** The slug of the run that is meant; `undefined` when there is none. */
  find(target: Target): Promise<string | undefined>;
  /** Numbers of the turns that have begun, ascending. */
  turns(slug: string): Promise<readonly number[]>;
  facts(slug: string, turn: number): Promise<TurnFacts>;
  /** Bytes of the turn's log; `null` while there is none. */
  size(slug: string, turn: number): Promise<number | null>;
  /** Some bytes of the turn's log from an offset on; none at its end. */
  read(slug: string, turn: number, offset: number): Promise<Uint8Array>;
  /** No turn will follow. */
  isOver(slug: string): Promise<boolean>;
  /** For a provider's output; `undefined` for one that this version cannot read. */
  reader(provider: string, version: string | null): StreamReader | undefined;
  close(): Promise<void>;
}

export interface TurnFacts {
  readonly provider: { readonly name: string; readonly version: string | null } | null;
  /** Epoch milliseconds. */
  readonly begunAt: number | null;
  /** Why it runs: `first`, `wake`, `nudge` and so on. */
  readonly cause: string | null;
  /** `null` while it runs, and where nothing says how it ended. */
  readonly end: TurnEnd | null;
}

export interface TurnEnd {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly exitCode: number | null;
  /** Why the run is frozen since. */
  readonly reason: string | null;
  readonly outcome: AgentOutcome | null;
  /** What `signal_done` said. */
  readonly done: string | null;
  readonly stopped: string | null;
  readonly reported: ReportedUse | null;
  readonly metered: ModelUse | null;
}
