/** Activities without a world: each turn does what the test says; everything that was called is kept. */
import { Context } from '@temporalio/activity';
import { beating } from '../../../src/activities/base/beating.js';
import type {
  ApplyChangeInput,
  ChangesInput,
  RebuiltImage,
  PrepareTurnInput,
  RecordDecisionInput,
  RecordProposalInput,
  RecordEndInput,
  RecordTurnInput,
  RunTurnInput,
  SettleTurnInput,
} from '../../../src/activities/ports/inputs.js';
import type { PreparedTurn, SettledTurn } from '../../../src/domain/run/events.js';
import type { OperatorCommandRow } from '../../../src/domain/run/rows.js';
import type { PublishResult, TurnResult } from '../../../src/domain/run/turn.js';
import { PREPARED, PUBLISHED, settledTurn, turnResult } from '../machine/world.js';
import { HOST, type AllActivities } from './time-skipping.js';

export interface TurnScript {
  /** Called when the turn's activity runs; its result is the turn's. */
  run(input: RunTurnInput, activity: Context): Promise<Partial<TurnResult>>;
  settle?: Partial<SettledTurn>;
}

/** What a test sets of them; all of it may change while they are called. */
export interface Scripted {
  applyFailure: Error | null;
  checkinAgeMs: number;
  /** The last turn whose end the host has. */
  holds: number;
  refusal: string | null;
  pausedBy: string | null;
  /** `null`: the host has to be claimed. */
  soleHost: string | null;
  /** What the prepared turn says beside the usual. */
  extras: Partial<PreparedTurn>;
  gateFailure: Error | null;
  tellFailure: Error | null;
  whileApplying: () => Promise<void>;
  whileBuilding: () => Promise<RebuiltImage>;
  whileArchiving: () => Promise<void>;
  whileDestroying: () => Promise<void>;
}

export class ScriptedActivities implements Scripted {
  readonly prepared: PrepareTurnInput[] = [];
  readonly ran: RunTurnInput[] = [];
  readonly attached: RunTurnInput[] = [];
  readonly settled: SettleTurnInput[] = [];
  readonly recorded: RecordTurnInput[] = [];
  readonly ended: RecordEndInput[] = [];
  readonly commanded: OperatorCommandRow[] = [];
  readonly applied: ApplyChangeInput[] = [];
  readonly rebuilt: ChangesInput[] = [];
  readonly proposed: RecordProposalInput[] = [];
  readonly decided: RecordDecisionInput[] = [];
  readonly checked: ChangesInput[] = [];
  readonly told: string[] = [];
  readonly archived: string[] = [];
  readonly destroyed: string[] = [];
  publications = 0;
  applyFailure: Error | null = null;
  checkinAgeMs = 0;
  holds = 0;
  refusal: string | null = null;
  pausedBy: string | null = null;
  soleHost: string | null = HOST;
  extras: Partial<PreparedTurn> = {};
  gateFailure: Error | null = null;
  tellFailure: Error | null = null;
  whileApplying: () => Promise<void> = () => Promise.resolve();
  whileBuilding: () => Promise<RebuiltImage> = () => Promise.resolve({ kind: 'built' });
  whileArchiving: () => Promise<void> = () => Promise.resolve();
  whileDestroying: () => Promise<void> = () => Promise.resolve();

  constructor(private readonly script: (turn: number) => TurnScript) {}

  readonly activities: AllActivities = {
    soleHost: () => Promise.resolve(this.soleHost),
    claimHost: () => Promise.resolve({ host: HOST }),
    prepareTurn: (input) => {
      this.prepared.push(input);
      if (this.pausedBy !== null) return Promise.resolve({ kind: 'paused', reason: this.pausedBy });
      if (this.refusal !== null) return Promise.resolve({ kind: 'refused', reason: this.refusal });
      return Promise.resolve({ kind: 'ready', prepared: { ...PREPARED, ...this.extras } });
    },
    launchBottle: async (input) => {
      this.ran.push(input);
      return this.turn(input);
    },
    rehydrateBottle: async (input) => {
      this.ran.push(input);
      return this.turn(input);
    },
    reattachBottle: async (input) => {
      this.attached.push(input);
      return this.turn(input);
    },
    lastCheckinAge: () => Promise.resolve(this.checkinAgeMs),
    askHost: () => Promise.resolve({ holds: this.holds }),
    publishHere: () => this.publish(),
    publishWork: () => this.publish(),
    checkChange: (input) => {
      this.checked.push(input);
      return this.applyFailure === null ? Promise.resolve() : Promise.reject(this.applyFailure);
    },
    applyChange: async (input) => {
      this.applied.push(input);
      await this.whileApplying();
      if (this.applyFailure !== null) throw this.applyFailure;
    },
    rebuildImage: async (input) => {
      this.rebuilt.push(input);
      return this.whileBuilding();
    },
    freezeBottle: (input) => {
      this.settled.push(input);
      return Promise.resolve(settledTurn(this.script(input.turn).settle));
    },
    archiveBottle: async (run) => {
      await this.whileArchiving();
      this.archived.push(run.slug);
    },
    destroyBottle: async (run) => {
      await this.whileDestroying();
      this.destroyed.push(run.slug);
    },
    recordTurn: keptIn(this.recorded),
    recordState: () => Promise.resolve(),
    recordEnd: keptIn(this.ended),
    recordCommand: keptIn(this.commanded),
    recordProposal: keptIn(this.proposed),
    recordDecision: keptIn(this.decided),
    tellChecksStopped: ({ slug, pr }) => {
      this.told.push(`checks of #${String(pr)}: ${slug}`);
      return Promise.resolve();
    },
    tellFrozen: ({ slug }) => {
      this.told.push(slug);
      return this.tellFailure === null ? Promise.resolve() : Promise.reject(this.tellFailure);
    },
  };

  private publish(): Promise<PublishResult> {
    this.publications += 1;
    return this.gateFailure === null ? Promise.resolve(PUBLISHED) : Promise.reject(this.gateFailure);
  }

  private async turn(input: RunTurnInput): Promise<TurnResult> {
    const result = await this.script(input.turn).run(input, Context.current());
    return turnResult(result);
  }
}

function keptIn<T>(kept: T[]): (input: T) => Promise<void> {
  return (input) => {
    kept.push(input);
    return Promise.resolve();
  };
}

/** Works until it is called off, as what watches an agent does. */
export function untilCalledOff(): Promise<never> {
  return beating(() => new Promise<never>(() => undefined));
}
