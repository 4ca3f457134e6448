/**
 * Stands between the forge and the webhook: takes the forge's real, signed deliveries and hands them on unchanged, at
 * once or when told to, so that the moment of the POST is known and the forge is idle by then.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface HeldDelivery {
  readonly eventType: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export class DeliveryRelay {
  private queue: HeldDelivery[] = [];
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
      void take(request).then((delivery) => {
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
    return this.queue.map((delivery) => delivery.eventType);
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

  private accept(delivery: HeldDelivery): void {
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

  private async post({ headers, body, eventType }: HeldDelivery): Promise<void> {
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

/** What a delivery is told and signed by. */
export function forgeHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    /^(?:x-|content-type$)/.test(name) && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(own);
}

async function take(request: IncomingMessage): Promise<HeldDelivery> {
  const headers = forgeHeaders(request.headers);
  return { eventType: headers['x-gitea-event-type'] ?? '', headers, body: await buffer(request) };
}
