/** The activities by the queue they run on; the workflow sees these types only. */
import type { SettledTurn } from '../domain/events.js';
import type { PublishResult, TurnResult } from '../domain/turn.js';
import type {
  PrepareTurnInput,
  PrepareTurnOutcome,
  PublishInput,
  RecordEndInput,
  RecordStateInput,
  RecordTurnInput,
  RunRef,
  RunTurnInput,
  SettleTurnInput,
} from './inputs.js';

/** On `bot-bottle`, the home machine: the forge and the database. */
export interface HomeActivities {
  prepareTurn(input: PrepareTurnInput): Promise<PrepareTurnOutcome>;
  recordTurn(input: RecordTurnInput): Promise<void>;
  recordState(input: RecordStateInput): Promise<void>;
  recordEnd(input: RecordEndInput): Promise<void>;
}

/** On `bottles`, any host: the first to poll takes the run. */
export interface ClaimActivities {
  claimHost(): Promise<{ readonly host: string }>;
}

/** On `turns@<host>`: holds the slot for as long as the agent runs. */
export interface TurnActivities {
  runTurn(input: RunTurnInput): Promise<TurnResult>;
}

/** On `bottles@<host>`: short container, git and publish work, and turns that lost their watcher. */
export interface HostActivities {
  attachTurn(input: RunTurnInput): Promise<TurnResult>;
  lastCheckinAge(input: RunRef): Promise<number>;
  publishWork(input: PublishInput): Promise<PublishResult>;
  settleTurn(input: SettleTurnInput): Promise<SettledTurn>;
  destroyRun(input: RunRef): Promise<void>;
}
