/** What the sidecar bundle and the worker say to each other through the queue directories, one JSON file a message. */
import type { EgressTotals } from '../egress/totals.js';
import type { ModelReport } from './model-use.js';
import type { ProposalAnswer, ProposalTool } from '../supervise/proposal.js';
import type { DoneStatus } from './turn.js';

/** Most files a drain takes; more means the bundle (or who took it over) floods, and the run is frozen. */
export const QUEUE_DRAIN_LIMIT = 256;
/** Largest message file, bytes. */
export const QUEUE_MESSAGE_BYTES = 256 * 1024;
/** `<zero-padded sequence>-<id>.json`: names sort in the order written. */
export const QUEUE_FILE_NAME = /^[0-9]{12}-[a-z0-9]{8,40}\.json$/;
export const QUEUE_ID = /^[a-z0-9]{8,40}$/;

/** What each message says of where it comes from. */
interface OfTurn {
  readonly slug: string;
  readonly turn: number;
  /** Epoch milliseconds, the sidecar's clock. */
  readonly at: number;
}

/** Bundle to worker (`out/`). The file's name carries the message's id; the run comes from the directory. */
export type QueueBody = OfTurn & QueueContent;

export type QueueContent =
  | { readonly kind: 'done'; readonly status: DoneStatus; readonly summary: string }
  | { readonly kind: 'open_pr'; readonly title: string; readonly body: string }
  /** A file of the bottle's configuration that the agent proposes [S2]. */
  | {
      readonly kind: 'proposal';
      readonly tool: ProposalTool;
      readonly file: string;
      readonly justification: string;
      /** SHA-256 of the file that it started from, hexadecimal. */
      readonly currentHash: string;
    }
  /** A text that is about to be posted, to be looked through for secrets. */
  | {
      readonly kind: 'text';
      /** What it is, for a message: `the comment on #12`. */
      readonly where: string;
      readonly text: string;
    }
  /** Operation-log lines; also a check-in, like every message but `egress`. */
  | { readonly kind: 'operations'; readonly lines: readonly OperationLine[] }
  | EgressContent;

export type EgressMessage = OfTurn & EgressContent;

/** What the egress plane counted since its process began, all of it each time. By itself no check-in. */
interface EgressContent extends EgressTotals {
  readonly kind: 'egress';
  /** Another one for each process of the sidecar, whose counts are added up. `QUEUE_ID` in form. */
  readonly process: string;
  /** Epoch milliseconds of the last good answer through a route, which is a check-in; `null` when there was none. */
  readonly lastSuccessAt: number | null;
  /** What was asked of models; `null` as long as nothing was. */
  readonly model: ModelReport | null;
}

export interface QueueMessage {
  readonly fileName: string;
  readonly id: string;
  readonly body: QueueBody;
}

/** Worker to bundle (`in/<request id>.json`). */
export interface QueueAnswer {
  readonly requestId: string;
  readonly result: PublishAnswer | TextVerdict | DecisionAnswer;
}

/** To `proposal`: what was said to it, or why it is none (`PublishAnswer`'s `refused`). */
export type DecisionAnswer = ProposalAnswer & { readonly kind: 'decision' };

/** What a proposal came to; `refused`: it is none that could be decided. */
export type ProposalOutcome = DecisionAnswer | Extract<PublishAnswer, { readonly kind: 'refused' }>;

/** To `open_pr`. */
export type PublishAnswer =
  | { readonly kind: 'published'; readonly pr: number; readonly url: string; readonly head: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** To `text`. Only what is `clean` may be posted. The reasons are for the agent. */
export type TextVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'secret'; readonly reason: string }
  /** Nothing is known of it: the scanner failed. */
  | { readonly kind: 'unchecked'; readonly reason: string };

/** One semantic line of the operation log. */
export interface OperationLine {
  /** Unique within the run. */
  readonly id: string;
  /** When it ended, epoch milliseconds. */
  readonly at: number;
  /** How long it took, milliseconds, if it is a call. */
  readonly ms?: number | undefined;
  /** Method of the sidecar protocol, such as `read_issue`. */
  readonly operation: string;
  /** `#12`, `PR #318`, or empty. */
  readonly target: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  /** For people: "read PR #318", "refused comment on #9: outside the run's scope". */
  readonly text: string;
}
