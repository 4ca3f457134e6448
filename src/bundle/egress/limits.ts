const MIB = 1024 * 1024;

/** A request's head, bytes. */
export const MAX_HEADER_BYTES = 32 * 1024;
/** Of the forward proxy for each address, of a route for all of its upstream, ms. */
export const CONNECT_MS = 5000;
/** Addresses of one name that the forward proxy tries, one after the other. */
export const MAX_TRIES = 4;
/** A connection on which nothing moves in either direction, ms. A model may think this long before its first byte. */
export const IDLE_MS = 10 * 60_000;

export interface EgressLimits {
  /** On each of the two sockets. */
  readonly maxConnections: number;
  /** Connections and requests on each of the two sockets: installing packages takes thousands. */
  readonly callsPerMinute: number;
  /** One request through a route. */
  readonly maxBodyBytes: number;
  /** For a TLS hello in a tunnel, the client's and the server's each, ms. */
  readonly helloMs: number;
}

export const DEFAULT_LIMITS: EgressLimits = {
  maxConnections: 256,
  callsPerMinute: 12_000,
  maxBodyBytes: 32 * MIB,
  helloMs: 30_000,
};
