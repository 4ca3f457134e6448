import { messageOf } from '../../../domain/base/message-of.js';
import type { Inbox, NewDelivery } from '../../../domain/forge/delivery.js';
import { InvalidInputError } from '../../../domain/base/errors.js';
import { openForWriting } from '../connection.js';
import { createDeliveryTable } from './delivery-table.js';
import type { AcceptVerdict } from './delivery-table.js';
import { INBOX_MIGRATIONS } from '../schema.js';
import { StoreError } from '../store-error.js';

export interface InboxOptions {
  /** Largest size of the file in bytes; a delivery beyond it is refused as if the disk were full. Default: no limit. */
  readonly maxBytes?: number;
}

/**
 * Every hash lands on another page of its index, and a commit writes whole pages: small ones, and copied into the file
 * seldom (16 MiB), made a commit of 26 deliveries about a third cheaper.
 */
const TUNING = { pageSize: 1024, checkpointPages: 16_384 };

const HEX = /^(?:[0-9a-f]{2})+$/;

interface Waiting {
  readonly delivery: NewDelivery;
  readonly resolve: (verdict: AcceptVerdict) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens `inbox.db`. All `accept` calls of one turn of the event loop share one commit (a commit each costs almost half
 * of the throughput); every promise settles after that commit, and all of them reject when it fails.
 * Errors: `StoreError` on open; a failing `accept` rejects with a retryable one.
 */
export function openInbox(file: string, options: InboxOptions = {}): Inbox {
  const connection = openForWriting(file, INBOX_MIGRATIONS, TUNING);
  if (options.maxBytes !== undefined) {
    const pageSize = Number(connection.pragma('page_size', { simple: true }));
    connection.pragma(`max_page_count = ${String(Math.max(1, Math.floor(options.maxBytes / pageSize)))}`);
  }
  const table = createDeliveryTable(connection);
  const commit = connection.transaction((deliveries: readonly NewDelivery[]) =>
    deliveries.map((delivery) => table.insert(delivery)),
  );
  let waiting: Waiting[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const verdicts = commit.immediate(batch.map((entry) => entry.delivery));
      batch.forEach((entry, index) => {
        entry.resolve(verdicts[index] ?? 'duplicate');
      });
    } catch (error) {
      const detail = messageOf(error);
      const failure = new StoreError(
        `${file} cannot be written (${detail}): free disk space, or check its permissions`,
        {
          retryable: true,
          cause: error,
        },
      );
      for (const entry of batch) entry.reject(failure);
    }
  }

  return {
    accept: (delivery) =>
      new Promise<AcceptVerdict>((resolve, reject) => {
        if (!connection.open) {
          reject(new StoreError(`${file} is closed: the process is stopping`, { retryable: true }));
          return;
        }
        if (!HEX.test(delivery.bodyHash)) {
          reject(new InvalidInputError('the hash of a delivery is not hex'));
          return;
        }
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ delivery, resolve, reject });
      }),
    due: table.due,
    waiting: table.waiting,
    complete: table.complete,
    retryAt: table.retryAt,
    holdUntil: table.holdUntil,
    decisions: table.decisions,
    stats: table.stats,
    prune: table.prune,
    probe: table.probe,
    close: () => {
      if (connection.open) flush();
      connection.close();
    },
  };
}
