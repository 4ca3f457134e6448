import type { LostPart } from './run-files.js';
import type { DoneStatus, PublishResult } from './turn.js';

export interface RunChannel {
  turnStarted(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly at: number;
      readonly lost?: readonly LostPart[];
    },
  ): Promise<void>;
  /** The turn cannot begin now, and is tried again; `reason` is for people. */
  turnHeldUp(
    workflowId: string,
    message: { readonly slug: string; readonly turn: number; readonly reason: string },
  ): Promise<void>;
  /** Asks a frozen run to put its containers away. */
  archive(workflowId: string, slug: string): Promise<void>;
  signalDone(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly doneId: string;
      readonly status: DoneStatus;
      readonly summaryRef: string;
    },
  ): Promise<void>;
  /**
   * Whether the run is still where it was in that epoch: else it was moved to another host, or another life has begun.
   * Errors: `BotBottleError` with `away`, when nobody can say.
   */
  isCurrent(workflowId: string, run: { readonly slug: string; readonly epoch: number }): Promise<boolean>;
  /** Runs the publish gate for the agent's `open_pr`; the same request id gives the same answer. */
  openPr(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly requestId: string;
      readonly contentRef: string;
    },
  ): Promise<PublishResult>;
}
