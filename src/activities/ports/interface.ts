/** The activities by the queue they run on; the workflow sees these types only. */
import type { PrepareTurnOutcome, SettledTurn } from '../../domain/run/events.js';
import type { PassReport } from '../../domain/upkeep/reconcile.js';
import type { ExpectedRun, SweepEntry, SweepReport } from '../../domain/upkeep/sweep.js';
import type { OperatorCommandRow } from '../../domain/run/rows.js';
import type { PublishResult, TurnResult } from '../../domain/run/turn.js';
import type {
  ApplyChangeInput,
  ChangePauseInput,
  DestroyInput,
  PauseChange,
  PrepareTurnInput,
  PublishHereInput,
  PublishInput,
  ChangesInput,
  RebuiltImage,
  RecordDecisionInput,
  RecordEndInput,
  RecordProposalInput,
  RecordStateInput,
  RecordTurnInput,
  RunRef,
  RunTurnInput,
  SettleTurnInput,
  TellChecksStoppedInput,
} from './inputs.js';

/** On `bot-bottle`, the home machine: the forge and the database. */
export interface HomeActivities {
  /** The one host there is: it need not be claimed. `null` where several claim runs. */
  readonly soleHost: () => Promise<string | null>;
  readonly prepareTurn: (input: PrepareTurnInput) => Promise<PrepareTurnOutcome>;
  readonly checkChange: (input: ChangesInput) => Promise<void>;
  readonly recordTurn: (input: RecordTurnInput) => Promise<void>;
  readonly recordState: (input: RecordStateInput) => Promise<void>;
  readonly recordEnd: (input: RecordEndInput) => Promise<void>;
  readonly recordCommand: (row: OperatorCommandRow) => Promise<void>;
  readonly recordProposal: (input: RecordProposalInput) => Promise<void>;
  readonly recordDecision: (input: RecordDecisionInput) => Promise<void>;
  readonly tellFrozen: (input: RunRef) => Promise<void>;
  readonly tellChecksStopped: (input: TellChecksStoppedInput) => Promise<void>;
}

/** On `bot-bottle`, the home machine: the database. */
export interface PauseActivities {
  readonly changePause: (input: ChangePauseInput) => Promise<PauseChange>;
}

/** On `bot-bottle`, the home machine. */
export interface ReconcileActivities {
  readonly reconcile: () => Promise<PassReport>;
}

/** On `bot-bottle`, the home machine: what the sweep of a host needs of the database. */
export interface RowReviewActivities {
  readonly reviewRows: (input: { readonly host: string }) => Promise<RowReview>;
}

export interface RowReview {
  /** What the database believes to live on the host. */
  readonly expected: readonly ExpectedRun[];
  /** Rows of ended workflows, which say so now. */
  readonly repaired: readonly SweepEntry[];
}

/** On `bottles@<host>`. */
export interface SweepActivities {
  readonly sweepHost: (input: { readonly expected: readonly ExpectedRun[] }) => Promise<SweepReport>;
}

/** On `bottles`, any host: the first to poll takes the run. */
export interface ClaimActivities {
  readonly claimHost: () => Promise<{ readonly host: string }>;
}

/** On `turns@<host>`: holds the slot for as long as the agent runs. */
export interface TurnActivities {
  /** The first turn of a run: starts the bottle and stays with it until its agent exits. */
  readonly launchBottle: (input: RunTurnInput) => Promise<TurnResult>;
  /** Each further turn, the same way. */
  readonly rehydrateBottle: (input: RunTurnInput) => Promise<TurnResult>;
}

/** Beside the workflow's task, on whatever host that is. */
export interface HereActivities {
  /** As `publishWork`; `null`: the run is on another host. */
  readonly publishHere: (input: PublishHereInput) => Promise<PublishResult | null>;
}

/** On `bottles@<host>`: short container, git and publish work, and turns that lost their watcher. */
export interface HostActivities {
  readonly reattachBottle: (input: RunTurnInput) => Promise<TurnResult>;
  readonly lastCheckinAge: (input: RunRef) => Promise<number>;
  /** Whoever answers is there. `holds`: the last turn whose end this host has kept, 0 for none. */
  readonly askHost: (input: { readonly slug: string }) => Promise<{ readonly holds: number }>;
  readonly publishWork: (input: PublishInput) => Promise<PublishResult>;
  /** What an operator agreed to takes effect in the bottle that runs. */
  readonly applyChange: (input: ApplyChangeInput) => Promise<void>;
  /** Builds the image that an operator agreed to. */
  readonly rebuildImage: (input: ChangesInput) => Promise<RebuiltImage>;
  readonly freezeBottle: (input: SettleTurnInput) => Promise<SettledTurn>;
  readonly archiveBottle: (input: RunRef) => Promise<void>;
  readonly destroyBottle: (input: DestroyInput) => Promise<void>;
}
