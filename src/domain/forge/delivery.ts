/** Webhook deliveries as the inbox keeps them and what the dispatcher makes of them. */

export interface Delivery {
  readonly seq: number;
  /** SHA-256 of the raw body, hex: a redelivery repeats the body byte for byte, its delivery id is new. */
  readonly bodyHash: string;
  readonly eventType: string;
  readonly receivedAt: number;
  /** `gitea:owner/repo#12`, what order is kept for; several numbers can map to one run, see the dispatcher. */
  readonly orderKey: string;
  /** JSON: what it is about; no titles and no texts. */
  readonly hint: string;
  /** Of the span in which it was accepted; `null` when nobody traced it. */
  readonly traceparent: string | null;
  readonly attempts: number;
}

export interface NewDelivery {
  readonly bodyHash: string;
  readonly eventType: string;
  readonly receivedAt: number;
  readonly orderKey: string;
  readonly hint: string;
  readonly traceparent?: string | undefined;
}

export interface DeliveryEnd {
  readonly seq: number;
  readonly outcome: string;
  /** For the record: ids, keys and reasons, no text of strangers. */
  readonly detail: string;
}

/** One decision of the dispatcher about one delivery: append-only. Times are epoch milliseconds. */
export interface DecisionRow {
  readonly at: number;
  readonly orderKey: string;
  readonly eventType: string;
  readonly bodyHash: string;
  readonly outcome: string;
  readonly detail: string;
}

/** Durable queue between the door and the dispatcher. */
export interface Inbox {
  /** Durable when it resolves. `duplicate` when the same body was accepted within the last 90 days. */
  accept(delivery: NewDelivery): Promise<'accepted' | 'duplicate'>;
  /** The oldest open delivery of each order key that is due, oldest first. */
  due(now: number, limit: number): Delivery[];
  /** What waits under an order key, oldest first, whether due or not. */
  waiting(orderKey: string, limit: number): Delivery[];
  /** Together, and with a row each in the append-only record of what was decided. */
  complete(ends: readonly DeliveryEnd[], now: number): void;
  /** Puts it back with a time before which it is not due, less than five minutes from now. */
  retryAt(seq: number, dueAt: number, error: string): void;
  /** The same without an attempt having failed. */
  holdUntil(seq: number, dueAt: number): void;
  stats(): { readonly open: number; readonly oldestOpenAt: number | null; readonly total: number };
  /** The latest decisions, newest first. */
  decisions(limit: number): DecisionRow[];
  /** Forgets completed deliveries older than the 90 days duplicates are known for. */
  prune(now: number): number;
  /** Commits something small: throws when a delivery could not be accepted now (disk full, not writable). */
  probe(): void;
  close(): void;
}
