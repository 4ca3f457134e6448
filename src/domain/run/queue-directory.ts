import type { ModelBudget } from './model-use.js';
import type { QueueAnswer, QueueMessage } from './queue.js';

/** The directories the bundle and the worker talk through. Hostile content is refused, not trusted. */
export interface QueueDirectory {
  /** Messages in name order, at most `QUEUE_DRAIN_LIMIT`; `flood` when there were more. Messages of another slug are dropped. */
  read(slug: string): Promise<QueueRead>;
  /** After delivery: the file is gone from the disk, also after a power cut, when it resolves. */
  acknowledge(slug: string, fileName: string): Promise<void>;
  /** Out of the queue and kept for the operator, also when the run ends. */
  setAside(slug: string, fileName: string): Promise<void>;
  answer(slug: string, answer: QueueAnswer): Promise<void>;
  /** Takes an answer back that nobody waits for any more; one that is not there is fine. */
  retract(slug: string, requestId: string): Promise<void>;
  /** What changes from turn to turn, read by the bundle when it starts: `in/turn.json`. */
  writeTurnHeader(slug: string, header: TurnHeader): Promise<void>;
  /** Calls back soon after the bundle wrote something. Answers how to stop watching. */
  watch(slug: string, onChange: () => void): () => void;
  /** Files of an ended run go to its archive. */
  archive(slug: string): Promise<void>;
}

export interface QueueRead {
  readonly messages: readonly QueueMessage[];
  readonly flood: boolean;
  /** What is no message of the run's: taken away, but for a directory with content. The name is escaped, the reason fit for a log. */
  readonly refused: readonly { readonly fileName: string; readonly reason: string }[];
}

export interface TurnHeader {
  readonly turn: number;
  /** The turn that the machine interrupted and that this one goes on with: what was posted in it is posted. */
  readonly goesOnWith?: number;
  readonly prNumber: number | null;
  /** Where the repository is in this turn. */
  readonly owner: string;
  readonly repo: string;
  /** What the process that is started may still use of its model; left out for no limit. */
  readonly budget?: ModelBudget;
  /** What the agent may still send through the forward proxy, bytes; left out for 64 MiB. */
  readonly uploadBytes?: number;
  /** What models cost, as `MODEL_PRICES` says it; left out for the vendors' prices alone. */
  readonly prices?: string;
  /** Logins whose texts the agent may read; left out for everybody. */
  readonly readers?: readonly string[];
}
