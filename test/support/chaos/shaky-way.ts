/**
 * The way from the forge to the webhook: hands signed deliveries on unchanged, but late, twice, and out of order. Like the
 * forge it does not try again: what meets a webhook that is away is lost, and polling has to find it.
 */
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { takeDelivery, type SignedDelivery } from '../deliveries/signed-delivery.js';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';
import type { DeliveryPlan } from './plan.js';

/** As Gitea's. */
const TIMEOUT_MS = 5_000;

export class ShakyWay {
  readonly counts = { deliveries: 0, late: 0, duplicated: 0, posts: 0, lost: 0 };
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  private constructor(
    private readonly server: Server,
    private readonly plan: readonly DeliveryPlan[],
    private readonly target: string,
  ) {}

  /** @param target the webhook's address */
  static async start(plan: readonly DeliveryPlan[], target: string): Promise<ShakyWay> {
    const server = createServer((request, response) => {
      void takeDelivery(request).then(
        (delivery) => {
          response.writeHead(200).end();
          way.#accept(delivery);
        },
        () => response.destroy(),
      );
    });
    const way = new ShakyWay(server, plan, target);
    await listenLocally(server);
    return way;
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** What is late is dropped. */
  async close(): Promise<void> {
    this.#closing.abort();
    await closeServer(this.server);
    await Promise.all(this.#underWay);
  }

  #accept(delivery: SignedDelivery): void {
    const { counts } = this;
    const delays = this.plan[counts.deliveries % this.plan.length] ?? [0];
    counts.deliveries += 1;
    if (delays.length > 1) counts.duplicated += 1;
    if (delays[0] !== 0) counts.late += 1;
    for (const ms of delays) {
      const posting = this.#post(delivery, ms).finally(() => this.#underWay.delete(posting));
      this.#underWay.add(posting);
    }
  }

  async #post({ headers, body }: SignedDelivery, afterMs: number): Promise<void> {
    try {
      await delay(afterMs, undefined, { signal: this.#closing.signal });
      const answer = await fetch(this.target, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      if (answer.ok) this.counts.posts += 1;
      else this.counts.lost += 1;
    } catch {
      this.counts.lost += 1;
    }
  }
}
