/** What the machine wants done, with all that it takes; the workflow does it and feeds what comes of it back in. */
import type {
  ApplyChangeInput,
  DestroyInput,
  PrepareTurnInput,
  ChangesInput,
  RecordDecisionInput,
  RecordEndInput,
  RecordProposalInput,
  RecordStateInput,
  RecordTurnInput,
  RunRef,
  RunTurnInput,
  SettleTurnInput,
  TellChecksStoppedInput,
} from '../../activities/ports/inputs.js';
import type { OperatorCommandRow } from '../../domain/run/rows.js';
import type { FrozenReason, TurnCause } from '../../domain/run/turn.js';

export type MachineCommand =
  /** `moved`: the run, when it had a host before: the new one is asked what it has of it. */
  | { readonly kind: 'claim_host'; readonly turn: number; readonly moved: RunRef | null }
  /** What is under way on the run's host is called off, and nobody waits for it. */
  | { readonly kind: 'leave_host' }
  | { readonly kind: 'prepare_turn'; readonly input: PrepareTurnInput }
  /** Start the bottle and stay with it until its agent exits; `attach`: to one that nobody watches. */
  | {
      readonly kind: 'run_turn' | 'attach_turn';
      readonly host: string;
      readonly input: RunTurnInput;
      readonly cause: TurnCause;
      /** How many things that people did are in the prompt. */
      readonly told: number;
    }
  | { readonly kind: 'stop_turn' }
  /** The run is to end: what is under way is called off, and is not waited for without end. */
  | { readonly kind: 'end_step' }
  | { readonly kind: 'settle_turn'; readonly host: string; readonly input: SettleTurnInput }
  | { readonly kind: 'arm_watchdog'; readonly turn: number; readonly ms: number }
  | { readonly kind: 'disarm_watchdog' }
  /** `at`: epoch milliseconds. */
  | { readonly kind: 'arm_resume'; readonly at: number }
  | { readonly kind: 'disarm_resume' }
  | { readonly kind: 'ask_checkin'; readonly host: string; readonly run: RunRef }
  /** Rows of a finished turn and the frozen (or going on) state of the run. */
  | { readonly kind: 'record_turn'; readonly input: RecordTurnInput }
  | { readonly kind: 'record_state'; readonly input: RecordStateInput }
  /** What an operator did, for its row. */
  | { readonly kind: 'record_command'; readonly act: OperatorAct }
  | { readonly kind: 'record_proposal'; readonly input: RecordProposalInput }
  | { readonly kind: 'record_decision'; readonly input: RecordDecisionInput }
  /** What an operator agreed to is looked at while there is no bottle that could take it in. */
  | { readonly kind: 'check_change'; readonly id: string; readonly input: ChangesInput }
  /** What an operator agreed to takes effect in the bottle that runs. */
  | {
      readonly kind: 'apply_change';
      readonly host: string;
      readonly id: string;
      readonly input: ApplyChangeInput;
    }
  /** An image that an operator agreed to is built, for the next turn. */
  | {
      readonly kind: 'rebuild_image';
      readonly host: string;
      readonly id: string;
      readonly input: ChangesInput;
    }
  /** The people on the forge see that the run waits for somebody. Nothing comes of it. */
  | { readonly kind: 'tell_frozen'; readonly reason: FrozenReason; readonly run: RunRef }
  /** They see that failed checks wake the run no more. Nothing comes of it. */
  | { readonly kind: 'tell_checks_stopped'; readonly input: TellChecksStoppedInput }
  | { readonly kind: 'archive'; readonly host: string; readonly run: RunRef }
  /** `host: null`: nothing was ever launched. */
  | { readonly kind: 'destroy'; readonly host: string | null; readonly input: DestroyInput }
  | { readonly kind: 'record_end'; readonly input: RecordEndInput };

/** A command of an operator that was accepted; its row gets its ids where it is written. */
export type OperatorAct = Omit<OperatorCommandRow, 'id' | 'workflowId'>;
