/** The real inbox, rows and dispatcher, shared by many plays: opening them anew for each would take most of the time. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import type { Inbox } from '../../../src/domain/forge/delivery.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { createAcknowledger } from '../../../src/webhook/dispatch/acknowledge.js';
import { startDispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import type { Dispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import { createSegmentHandler } from '../../../src/webhook/dispatch/handle-segment.js';
import { orderKeyOf, storedHint } from '../../../src/webhook/events/hint.js';
import type { Handled } from '../../../src/webhook/dispatch/outcome.js';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';
import { createRunLookup } from '../../../src/webhook/dispatch/run-lookup.js';
import type { Segment } from '../../../src/webhook/dispatch/segment.js';
import { ForgePlay } from './forge-play.js';
import type { Sent } from './forge-play.js';
import { PlayedWorkflows } from './played-workflows.js';
import { sampleHome } from '../host/sample-home.js';
import { agentsFrom } from '../manifests/agents.js';
import { sampleAgent } from '../manifests/samples.js';

const ACCESS = { org: 'bot-bottle', trigger: 'collaborators', wake: 'collaborators' } as const;
const SETTINGS = { ...ACCESS, wakeOn: 'every', ignored: new Set(['renovate']), publish: 'branch' } as const;
const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** Two agents, and one bottle. */
const agents = agentsFrom({
  agent: (name) => Promise.resolve(['coder', 'tester'].includes(name) ? sampleAgent(name) : undefined),
});

/** One forge with its workflows. */
export interface Play {
  readonly people: ForgePlay;
  readonly workflows: PlayedWorkflows;
}

export class PlayLab {
  /** A whole second of the forge's clock to begin with. */
  #now = 1_700_000_000_000;
  readonly #directory: string;
  readonly #database: Database;
  readonly #dispatcher: Dispatcher;
  #handle: (segment: Segment) => Promise<Handled> = () => Promise.reject(new Error('no play'));
  #active = 0;
  /** Accepted, and no outcome yet. */
  #open = 0;
  /** What went to the log; a play has no faults, so there is none. */
  readonly errors: unknown[] = [];
  readonly outcomes: string[] = [];

  static async make(): Promise<PlayLab> {
    const directory = mkdtempSync(
      path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bot-bottle-test-'),
    );
    const inbox = openInbox(path.join(directory, 'inbox.db'));
    return new PlayLab(directory, inbox, await openDatabase(path.join(directory, 'bot-bottle.db')));
  }

  private constructor(
    directory: string,
    readonly inbox: Inbox,
    database: Database,
  ) {
    this.#directory = directory;
    this.#database = database;
    this.#dispatcher = startDispatcher({
      inbox: this.inbox,
      handle: async (segment) => {
        this.#active += 1;
        return this.#handle(segment).finally(() => (this.#active -= 1));
      },
      now: this.now,
      // Woken by hand.
      pollMs: 3_600_000,
      onOutcome: (outcome) => {
        this.outcomes.push(outcome);
        if (outcome !== 'retry') this.#open -= 1;
      },
      onError: (_message, error) => this.errors.push(error),
    });
  }

  readonly now = (): number => this.#now;

  get open(): number {
    return this.#open;
  }

  tick(ms: number): void {
    this.#now += ms;
  }

  /** Begins with nothing; rows of the play before are gone. */
  async newPlay(issues: readonly number[]): Promise<Play> {
    for (const { forge, owner, repo, issueNumber: number } of await this.#database.forgeState.all())
      await this.#database.forgeState.delete({ forge, owner, repo, number });
    this.tick(60_000 - (this.#now % 1000));
    this.errors.length = 0;
    this.outcomes.length = 0;
    const people = new ForgePlay(issues, this.now);
    const blobs = new Map<string, string>();
    const forgeFor: HomePorts['forgeFor'] = () => people.forge.bind();
    const own = {
      ...{ forgeFor, agents, database: this.#database, clock: { now: this.now } },
      blobs: {
        put: (content) => {
          const key = sha256(content);
          blobs.set(key, String(content));
          return Promise.resolve(key);
        },
        getText: (key) => Promise.resolve(blobs.get(key) ?? ''),
      },
    } satisfies Partial<HomePorts>;
    const ports = sampleHome(own, {
      access: ACCESS,
      dayBudget: { turns: Infinity, tokens: Infinity, microUsd: Infinity },
    });
    const openPr = (issue: number, branch: string): number => people.openPr(issue, branch);
    const workflows = new PlayedWorkflows({ ports, openPr, now: this.now });
    this.#handle = createSegmentHandler({
      ...{ forgeFor, agents, settings: SETTINGS, now: this.now },
      runs: createRunLookup(this.#database),
      gateway: workflows,
      acknowledger: createAcknowledger({
        ack: false,
        onRejected: () => Promise.resolve(),
        onError: () => undefined,
      }),
      serves: () => true,
    });
    return { people, workflows };
  }

  /** Through the door's last step, all within one turn of the event loop. */
  async accept(deliveries: readonly Sent[]): Promise<('accepted' | 'duplicate')[]> {
    const verdicts = await Promise.all(
      deliveries.map(async ({ eventType, payload }) => {
        const body = JSON.stringify(payload);
        const parsed = parseDelivery(eventType, Buffer.from(body));
        if (parsed.kind === 'unwanted') return 'duplicate';
        if (parsed.kind !== 'hint') throw new Error(`not a hint: ${JSON.stringify(parsed)}`);
        const { hint } = parsed;
        const known = {
          eventType,
          receivedAt: this.#now,
          orderKey: orderKeyOf(hint),
          hint: storedHint(hint),
        };
        return this.inbox.accept({ ...known, bodyHash: sha256(body) });
      }),
    );
    this.#open += verdicts.filter((verdict) => verdict === 'accepted').length;
    return verdicts;
  }

  /** Everything accepted is dispatched; what is held back is waited for in the lab's own time. */
  async dispatched(): Promise<void> {
    for (let turn = 0; turn < 5_000; turn += 1) {
      if (this.#active === 0) {
        if (this.#open === 0) return;
        if (turn > 0 && this.inbox.due(this.#now, 1).length === 0) this.tick(500);
      }
      this.#dispatcher.wake();
      await turnOfTheLoop();
    }
    throw new Error('deliveries are stuck in the inbox');
  }

  async close(): Promise<void> {
    await this.#dispatcher.stop();
    this.inbox.close();
    await this.#database.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
