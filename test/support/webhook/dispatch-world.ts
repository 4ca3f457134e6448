import { createHash } from 'node:crypto';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import type { Delivery, Inbox } from '../../../src/domain/forge/delivery.js';
import type { ForgeFor } from '../../../src/domain/forge/forge.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { createAcknowledger } from '../../../src/webhook/dispatch/acknowledge.js';
import { startDispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import type { Dispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import { createSegmentHandler } from '../../../src/webhook/dispatch/handle-segment.js';
import type { DispatchSettings } from '../../../src/webhook/dispatch/dispatch-deps.js';
import { orderKeyOf, storedHint } from '../../../src/webhook/events/hint.js';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';
import { parseReconciled, RECONCILED } from '../../../src/webhook/events/reconciled.js';
import { createRunLookup } from '../../../src/webhook/dispatch/run-lookup.js';
import { FakeForge } from './fake-forge.js';
import { FakeGateway } from './fake-gateway.js';
import { PATIENCE } from '../scale/patience.js';
import { agentsFrom } from '../manifests/agents.js';
import { sampleAgent, sampleBottle } from '../manifests/samples.js';

export interface DispatchWorld {
  readonly inbox: Inbox;
  readonly database: Database;
  readonly forge: FakeForge;
  readonly gateway: FakeGateway;
  readonly outcomes: { readonly outcome: string; readonly delivery: Delivery }[];
  readonly rejected: { readonly reason: string; readonly at: number }[];
  /** Milliseconds added to the clock: retries need not be waited for. */
  skip(ms: number): void;
  now(): number;
  deliver(eventType: string, payload: object): Promise<void>;
  /** Starts dispatching, resolves when nothing is open any longer, and stops. Errors: when that takes too long. */
  settle(): Promise<void>;
  start(): Dispatcher;
  close(): Promise<void>;
}

const SETTLE_MS = 10_000;

const agents = agentsFrom({
  agent: (name) => Promise.resolve(name === 'coder' ? sampleAgent(name, { bottle: 'default' }) : undefined),
  bottle: () => Promise.resolve(sampleBottle()),
});

/** The dispatcher over a real inbox and real rows; forge and Temporal can be made to fail. */
export async function dispatchWorld(
  directory: string,
  settings: Partial<DispatchSettings> = {},
  forgeFor?: ForgeFor,
): Promise<DispatchWorld> {
  const inbox = openInbox(`${directory}/inbox.db`);
  const database = await openDatabase(`${directory}/bot-bottle.db`);
  const forge = new FakeForge();
  const gateway = new FakeGateway();
  const outcomes: { outcome: string; delivery: Delivery }[] = [];
  const rejected: { reason: string; at: number }[] = [];
  let skipped = 0;
  const now = (): number => Date.now() + skipped;
  const onError = (): void => undefined;
  const acknowledger = createAcknowledger({
    ack: true,
    onError,
    onRejected: (_subject, reason, at) => {
      rejected.push({ reason, at });
      return Promise.resolve();
    },
  });
  const handle = createSegmentHandler({
    forgeFor: forgeFor ?? (() => forge.bind()),
    runs: createRunLookup(database),
    agents,
    gateway,
    acknowledger,
    settings: {
      org: 'bot-bottle',
      trigger: 'collaborators',
      wake: 'collaborators',
      wakeOn: 'every',
      publish: 'branch',
      ignored: new Set(),
      ...settings,
    },
    serves: () => true,
    now,
  });
  const start = (onOutcome?: () => void): Dispatcher =>
    startDispatcher({
      inbox,
      handle,
      drained: () => acknowledger.drained(),
      now,
      onError,
      pollMs: 5,
      onOutcome: (outcome, _ms, delivery) => {
        outcomes.push({ outcome, delivery });
        onOutcome?.();
      },
    });
  return {
    inbox,
    database,
    forge,
    gateway,
    outcomes,
    rejected,
    now,
    start: () => start(),
    skip: (ms) => {
      skipped += ms;
    },
    deliver: async (eventType, payload) => {
      const body = JSON.stringify(payload);
      const parsed =
        eventType === RECONCILED ? parseReconciled(body) : parseDelivery(eventType, Buffer.from(body));
      if (parsed.kind !== 'hint') throw new Error(`not a hint: ${JSON.stringify(parsed)}`);
      await inbox.accept({
        bodyHash: createHash('sha256').update(body).digest('hex'),
        eventType,
        receivedAt: now(),
        orderKey: orderKeyOf(parsed.hint),
        hint: storedHint(parsed.hint),
      });
    },
    settle: async () => {
      if (inbox.stats().open === 0) return;
      await new Promise<void>((resolve, reject) => {
        let dispatcher: Dispatcher | undefined = undefined;
        const late = setTimeout(() => {
          const stopped = dispatcher?.stop(0) ?? Promise.resolve();
          clearInterval(clock);
          stopped.then(() => {
            reject(new Error(`still open after ${String(SETTLE_MS)} ms: ${JSON.stringify(inbox.stats())}`));
          }, reject);
        }, SETTLE_MS * PATIENCE);
        // What is held back is due sooner when time passes.
        const clock = setInterval(() => {
          if (inbox.due(now(), 1).length === 0) skipped += 500;
        }, 5);
        const check = (): void => {
          // Time passes when everything that is left waits for its retry.
          if (outcomes.at(-1)?.outcome === 'retry') skipped += 60_000;
          if (inbox.stats().open > 0) return;
          const running: Dispatcher | undefined = dispatcher;
          clearInterval(clock);
          clearTimeout(late);
          if (running !== undefined) running.stop().then(resolve, reject);
        };
        dispatcher = start(check);
      });
    },
    close: () => {
      inbox.close();
      return database.close();
    },
  };
}
