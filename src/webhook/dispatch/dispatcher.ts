import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/base/message-of.js';
import type { Delivery, Inbox } from '../../domain/forge/delivery.js';
import {
  BotBottleError,
  ForgeHttpError,
  InvalidInputError,
  isNotFound,
  UnusableSecretError,
} from '../../domain/base/errors.js';
import type { DispatchOutcome, Handled } from './outcome.js';
import { firstSegment } from './segment.js';
import type { Segment } from './segment.js';

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/**
 * How often a delivery may meet what no repetition cures before it is given up, so that it does not block its subject for
 * good. With the waits between them that is 14 minutes or more: a forge that answers rubbish while it is upgraded loses
 * nothing. What is lost after that, the reconciler finds when the forge or the subject is well again, unless polling is off.
 */
const FAULT_ATTEMPTS = 20;
/** Most deliveries of one subject that are handled together, and so most references in one signal. */
const MOST_TOGETHER = 200;

export interface DispatcherDeps {
  readonly inbox: Inbox;
  readonly handle: (segment: Segment) => Promise<Handled>;
  /** Waited for by `stop`: what goes on beside deliveries. */
  readonly drained?: () => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** `outcome` of an attempt, `retry` and `failed` among them, and the milliseconds since the delivery was accepted. */
  readonly onOutcome?: (
    outcome: DispatchOutcome | 'retry' | 'failed',
    sinceAcceptedMs: number,
    delivery: Delivery,
  ) => void;
  readonly onError: (message: string, error: unknown) => void;
  /** How many order keys at once. Default 8. */
  readonly concurrency?: number;
  /** Milliseconds between two looks at what is due without being woken. Default 500. */
  readonly pollMs?: number;
  /** Milliseconds one attempt may take. Default 60,000. */
  readonly attemptMs?: number;
}

/** Moves deliveries from the inbox to the workflows, in order within an order key. */
export interface Dispatcher {
  /** Something was accepted. */
  wake(): void;
  /** Takes nothing new, waits for what runs; what is not done by the grace stays in the inbox. */
  stop(graceMs?: number): Promise<void>;
}

export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { inbox, now, concurrency = 8, pollMs = 500, attemptMs = 60_000 } = deps;
  const inFlight = new Map<string, Promise<void>>();
  /** By `seq`: attempts that met such a fault. Those that found the forge away do not count, however many they were. */
  const faults = new Map<number, number>();
  let stopped = false;
  let pumping = false;

  /** Accepting wakes often: many wakes in one turn of the event loop look once. */
  function wake(): void {
    if (stopped || pumping) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      pump();
    });
  }

  function pump(): void {
    if (stopped || inFlight.size >= concurrency) return;
    let due: Delivery[];
    try {
      // The heads in flight are still open, so there may be as many of them among the answer.
      due = inbox.due(now(), concurrency + inFlight.size);
    } catch (error) {
      deps.onError('the inbox cannot be read', error);
      return;
    }
    for (const delivery of due) {
      if (inFlight.size >= concurrency) return;
      if (inFlight.has(delivery.orderKey)) continue;
      const work = attempt(delivery).finally(() => {
        inFlight.delete(delivery.orderKey);
        wake();
      });
      inFlight.set(delivery.orderKey, work);
    }
  }

  /** What waits for one subject, as far as it can be handled as one. */
  async function attempt(head: Delivery): Promise<void> {
    let marked: boolean;
    try {
      // After a failure alone: the others must not be given up for its sake.
      const most = head.attempts > 0 ? 1 : MOST_TOGETHER;
      const segment = firstSegment(inbox.waiting(head.orderKey, MOST_TOGETHER), most);
      const handled = await within(attemptMs, deps.handle(segment));
      marked = handled.kind === 'held' ? hold(head, handled.until) : complete(segment, handled);
    } catch (error) {
      marked = give(head, error);
    }
    if (!marked) await sleep(FIRST_RETRY_MS);
  }

  function complete({ deliveries }: Segment, { results }: Extract<Handled, { kind: 'done' }>): boolean {
    const ends = deliveries.flatMap((delivery, index) => {
      const result = results[index];
      return result === undefined ? [] : [{ delivery, ...result }];
    });
    const at = now();
    const marked = written(() => {
      inbox.complete(
        ends.map(({ delivery, outcome, detail }) => ({ seq: delivery.seq, outcome, detail })),
        at,
      );
    });
    for (const { delivery, outcome } of ends) {
      faults.delete(delivery.seq);
      deps.onOutcome?.(outcome, at - delivery.receivedAt, delivery);
    }
    return marked;
  }

  function hold(head: Delivery, until: number): boolean {
    return written(() => {
      inbox.holdUntil(head.seq, until);
    });
  }

  /** Later, or never: the head alone is given back, and those behind it wait for it. */
  function give(head: Delivery, error: unknown): boolean {
    const outcome = afterError(head, error);
    if (outcome === 'failed') faults.delete(head.seq);
    const detail = messageOf(error);
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(head.attempts, 10));
    const marked = written(() => {
      if (outcome === 'retry') inbox.retryAt(head.seq, now() + delay, detail);
      else inbox.complete([{ seq: head.seq, outcome, detail }], now());
    });
    deps.onOutcome?.(outcome, now() - head.receivedAt, head);
    return marked;
  }

  function afterError(delivery: Delivery, error: unknown): 'failed' | 'retry' {
    const about = `delivery ${String(delivery.seq)} for ${delivery.orderKey}, attempt ${String(delivery.attempts + 1)}`;
    deps.onError(about, error);
    // A token that is being replaced is not the delivery's fault.
    if (error instanceof UnusableSecretError) return 'retry';
    if (error instanceof InvalidInputError) return 'failed';
    if (!isLasting(error)) return 'retry';
    const met = (faults.get(delivery.seq) ?? 0) + 1;
    faults.set(delivery.seq, met);
    return met < FAULT_ATTEMPTS ? 'retry' : 'failed';
  }

  /** False when it could not be written: the deliveries are still open then and come again, which does no harm. */
  function written(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (fault) {
      deps.onError('the inbox cannot be written', fault);
      return false;
    }
  }

  const timer = setInterval(wake, pollMs);
  wake();
  return {
    wake,
    stop: async (graceMs = 10_000) => {
      stopped = true;
      clearInterval(timer);
      const drained = Promise.all(inFlight.values()).then(() => deps.drained?.());
      await within(graceMs, drained).catch((error: unknown) => {
        deps.onError('stopped before everything under way was done: the rest stays in the inbox', error);
      });
    },
  };
}

/** A bug of ours, or an answer that the same question gets each time, such as that an issue is too large to be read. */
function isLasting(error: unknown): boolean {
  // Rights, and the address where nothing is found: the operator mends those, and what waited goes on.
  if (error instanceof ForgeHttpError)
    return !error.retryable && error.status !== 401 && error.status !== 403 && !isNotFound(error);
  const isShape = error instanceof BotBottleError && error.code === 'forge_shape';
  return (
    isShape || error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  );
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`not done within ${String(ms)} ms`));
    }, ms);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
