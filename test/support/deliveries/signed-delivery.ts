import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A delivery as the forge sends it, so that it can be handed on with its signature. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export async function takeDelivery(request: IncomingMessage): Promise<SignedDelivery> {
  return { headers: deliveryHeaders(request.headers), body: await buffer(request) };
}

/** What a delivery is told and signed by. */
export function deliveryHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    /^(?:x-|content-type$)/.test(name) && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(own);
}
