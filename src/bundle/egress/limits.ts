const MIB = 1024 * 1024;

/** A request's head, bytes. */
export const MAX_HEADER_BYTES = 32 * 1024;
/** On each of the two sockets. */
export const MAX_CONNECTIONS = 256;
/** Connections and requests a minute on each of the two sockets: installing packages takes thousands. */
export const CALLS_PER_MINUTE = 12_000;
/** To one address of an upstream, ms. */
export const CONNECT_MS = 5000;
/** For a TLS hello in a tunnel, the client's and the server's each, ms. */
export const HELLO_MS = 30_000;
/** A connection on which nothing moves in either direction, ms. A model may think this long before its first byte. */
export const IDLE_MS = 10 * 60_000;
/** One request through a route. */
export const MAX_BODY_BYTES = 32 * MIB;
