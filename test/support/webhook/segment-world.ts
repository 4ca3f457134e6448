import assert from 'node:assert/strict';
import type { Place, RepoRef } from '../../../src/domain/forge/issue.js';
import type { ActOrder } from '../../../src/domain/forge/trigger.js';
import type { Observed, RunEvent } from '../../../src/domain/run/events.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { createAcknowledger } from '../../../src/webhook/dispatch/acknowledge.js';
import type { HandleDeps } from '../../../src/webhook/dispatch/dispatch-deps.js';
import { createSegmentHandler } from '../../../src/webhook/dispatch/handle-segment.js';
import type { Handled } from '../../../src/webhook/dispatch/outcome.js';
import type { RunLookup } from '../../../src/webhook/dispatch/run-lookup.js';
import type { Segment } from '../../../src/webhook/dispatch/segment.js';
import type { Hint } from '../../../src/webhook/events/hint.js';
import { agentsFrom } from '../manifests/agents.js';
import { sampleBottle } from '../manifests/samples.js';
import { FakeForge } from './fake-forge.js';
import { FakeGateway } from './fake-gateway.js';
import { aDelivery, aHint } from './hints.js';

export const ID = 'gitea:alice/demo#12';
export const PLACE: Place = { repoId: 7, owner: 'alice', repo: 'demo' };

/** What becomes of deliveries, with all that is around it in memory. */
export class SegmentWorld {
  readonly forge = new FakeForge();
  readonly gateway = new FakeGateway();
  /** What the rows say: of the run, of the act that began it, and of the run that has its name. */
  row: ForgeStateRow | undefined;
  begunBy: ActOrder | undefined;
  holder: ForgeStateRow | undefined;
  /** By which hints the row was looked for. */
  readonly lookedFor: Parameters<RunLookup['find']>[0][] = [];
  /** Repositories that were asked under their names. */
  readonly asked: string[] = [];
  readonly rejected: { readonly reason: string; readonly at: number }[] = [];
  serves: (place: Place) => boolean = () => true;
  now = 1_800_000_000_000;
  readonly #handle: (segment: Segment) => Promise<Handled>;
  #seq = 0;

  /** @param wakes of the bottle that the agent works in */
  constructor(
    settings: Partial<HandleDeps['settings']> = {},
    wakes: Parameters<typeof sampleBottle>[0] = {},
  ) {
    this.#handle = createSegmentHandler({
      forgeFor: ({ owner, repo }: RepoRef) => {
        this.asked.push(`${owner}/${repo}`);
        return this.forge.bind();
      },
      runs: {
        find: (hint) => {
          this.lookedFor.push(hint);
          return Promise.resolve(this.row);
        },
        triggerOf: () => Promise.resolve(this.begunBy),
        holderOf: () => Promise.resolve(this.holder),
      },
      agents: agentsFrom({ bottle: () => Promise.resolve(sampleBottle(wakes)) }),
      gateway: this.gateway,
      acknowledger: createAcknowledger({
        ack: true,
        onRejected: (_subject, reason, at) => Promise.resolve(void this.rejected.push({ reason, at })),
        onError: (_message, error) => assert.fail(String(error)),
      }),
      settings: {
        ...{ org: 'bot-bottle', trigger: 'collaborators', wake: 'collaborators', wakeOn: 'every' },
        ...{ ignored: new Set(), publish: 'branch' },
        ...settings,
      },
      serves: (place) => this.serves(place),
      now: () => this.now,
    });
  }

  /** Deliveries that are handled together, received when they are handled. */
  handle(...hints: readonly Hint[]): Promise<Handled> {
    return this.receivedAt(this.now, ...hints);
  }

  receivedAt(receivedAt: number, ...hints: readonly Hint[]): Promise<Handled> {
    const deliveries = hints.map((hint) => aDelivery((this.#seq += 1), hint, { receivedAt }));
    const kind = hints[0]?.cause.kind === 'state' ? 'state' : 'references';
    return this.#handle({ kind, deliveries, hints, waiting: deliveries });
  }

  /** One delivery that the subject changed for each of these times. */
  handleReceived(times: readonly number[]): Promise<Handled> {
    const deliveries = times.map((receivedAt) => aDelivery((this.#seq += 1), aHint(), { receivedAt }));
    return this.#handle({ kind: 'state', deliveries, hints: times.map(() => aHint()), waiting: deliveries });
  }

  malformed(): Promise<Handled> {
    return this.#handle({ kind: 'malformed', deliveries: [aDelivery(1, {} as Hint)] });
  }

  /** What became of one, with others waiting behind it. */
  async outcomeBefore(behind: readonly Hint[], hint: Hint): Promise<string | undefined> {
    const [first, ...rest] = [hint, ...behind].map((one) => aDelivery((this.#seq += 1), one));
    const deliveries = first === undefined ? [] : [{ ...first, receivedAt: this.now }];
    const waiting = [...deliveries, ...rest];
    const handled = await this.#handle({ kind: 'state', deliveries, hints: [hint], waiting });
    return handled.kind === 'done' ? handled.results[0]?.outcome : undefined;
  }

  /** What became of each. Errors: when they are held back. */
  async outcomes(...hints: readonly Hint[]): Promise<readonly string[]> {
    const handled = await this.handle(...hints);
    return handled.kind === 'done' ? handled.results.map(({ outcome }) => outcome) : assert.fail('held back');
  }

  async outcome(hint: Hint): Promise<string> {
    const [outcome = ''] = await this.outcomes(hint);
    return outcome;
  }

  get told(): readonly [id: string, kind: RunEvent['kind'], start: boolean][] {
    return this.gateway.sent.map(({ id, event, start }) => [id, event.kind, start]);
  }

  get lastSeen(): Observed {
    const event = this.gateway.sent.at(-1)?.event;
    return event?.kind === 'observed' ? event : assert.fail(event?.kind);
  }
}
