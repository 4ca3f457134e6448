import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedDelivery } from '../events/hint.js';
import type { DistinctHeaders, SignatureVerdict } from '../verify-signature.js';

/** How one kind of sender signs, names and writes its deliveries: a path of the door each. */
export interface DeliveryFormat {
  /** Constant time, before anything of the body is looked at. */
  readonly verify: (secret: string, rawBody: Uint8Array, headers: DistinctHeaders) => SignatureVerdict;
  /** By which it is parsed, and for the record; empty when the request does not say. */
  readonly eventTypeOf: (headers: IncomingHttpHeaders) => string;
  /** The sender's name for it, a UUID; empty when it has none. Not signed: for people who look for it. */
  readonly deliveryIdOf: (headers: IncomingHttpHeaders) => string;
  readonly parse: (eventType: string, rawBody: Uint8Array) => ParsedDelivery;
}
