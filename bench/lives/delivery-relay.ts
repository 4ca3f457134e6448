/**
 * Stands between the forge and the webhook: takes the forge's real, signed deliveries and hands them on unchanged, at
 * once or when told to, so that the moment of the POST is known and the forge is idle by then.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeDelivery, type SignedDelivery } from '../../test/support/deliveries/signed-delivery.js';

export class DeliveryRelay {
  private queue: SignedDelivery[] = [];
  private holding = false;
  private forwarding: Promise<void> = Promise.resolve();
  private fault: Error | undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  /** @param target the webhook's address */
  static async start(target: string): Promise<DeliveryRelay> {
    const server = createServer((request, response) => {
      void takeDelivery(request).then((delivery) => {
        response.writeHead(202).end();
        relay.accept(delivery);
      });
    });
    const relay = new DeliveryRelay(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/`;
  }

  hold(): void {
    this.holding = true;
  }

  get heldTypes(): readonly string[] {
    return this.queue.map(eventTypeOf);
  }

  /** Hands on what was held, in order. Resolves with the epoch milliseconds just before the first POST. */
  async release(): Promise<number> {
    await this.forwarding;
    const at = Date.now();
    this.holding = false;
    this.pass();
    await this.forwarding;
    if (this.fault !== undefined) throw this.fault;
    return at;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    await this.forwarding;
  }

  private accept(delivery: SignedDelivery): void {
    this.queue.push(delivery);
    if (!this.holding) this.pass();
  }

  private pass(): void {
    const deliveries = this.queue;
    this.queue = [];
    this.forwarding = this.forwarding.then(async () => {
      for (const delivery of deliveries) await this.post(delivery);
    });
  }

  private async post(delivery: SignedDelivery): Promise<void> {
    const { headers, body } = delivery;
    const eventType = eventTypeOf(delivery);
    try {
      const answer = await fetch(this.target, { method: 'POST', headers, body: new Uint8Array(body) });
      if (answer.status !== 202 && answer.status !== 200)
        throw new Error(`the webhook answered ${String(answer.status)} to ${eventType}`);
      await answer.arrayBuffer();
    } catch (error) {
      this.fault ??= new Error(`the delivery ${eventType} was not taken`, { cause: error });
    }
  }
}

function eventTypeOf({ headers }: SignedDelivery): string {
  return headers['x-gitea-event-type'] ?? '';
}
