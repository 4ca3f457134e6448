import { CamelCasePlugin, Kysely } from 'kysely';
import type { Dialect, Generated } from 'kysely';
import type { LedgerEntry, Seal } from '../../domain/provenance/record.js';
import type { NoticeRow } from '../../domain/run/notices.js';
import type { PauseRow } from '../../domain/run/pause.js';
import type {
  ForgeStateRow,
  OperationRow,
  OperatorCommandRow,
  ProposalDecisionRow,
  ProposalRow,
  RunRow,
  SessionRow,
  TurnRow,
} from '../../domain/run/rows.js';

/** `bot-bottle.db` as its queries see it. In the file the names are in snake case; what is a list or an object is JSON. */
export interface StateTables {
  readonly forgeState: Stored<ForgeStateRow, 'bottleNames'> & { readonly epoch: number };
  readonly run: Stored<RunRow, 'bottleNames'>;
  readonly turn: Stored<TurnRow, 'detail'>;
  readonly operation: OperationRow & Numbered;
  readonly session: SessionRow;
  readonly operatorCommand: Stored<OperatorCommandRow, 'detail'> & Numbered;
  readonly pause: PauseRow;
  readonly proposal: ProposalRow & Numbered;
  readonly proposalDecision: ProposalDecisionRow;
  /** Kept by triggers: those without a decision, so that nobody reads all that ever were. */
  readonly proposalWaiting: { readonly seq: number };
  /** Kept by triggers: since when a run is frozen for its reason. */
  readonly frozenRun: { readonly slug: string; readonly reason: string | null; readonly since: number };
  readonly notice: NoticeRow;
  readonly provenanceEntry: LedgerEntry;
  readonly provenanceSeal: Seal;
}

export type StateDb = Kysely<StateTables>;

type Stored<Row, Json extends keyof Row> = Omit<Row, Json> & Readonly<Record<Json, string>>;

/** In the order in which the rows were written. */
interface Numbered {
  readonly seq: Generated<number>;
}

export function stateDb(dialect: Dialect): StateDb {
  return new Kysely({ dialect, plugins: [new CamelCasePlugin()] });
}
