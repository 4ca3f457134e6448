import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Route } from '../../../domain/egress/route.js';
import { upstreamOf } from '../../../domain/egress/upstream.js';
import { checkedAddresses, RefusedAddressError, type AddressPolicy, type Resolve } from '../addresses.js';
import { flatHeaders, type HeaderList } from '../headers.js';
import { CONNECT_MS, IDLE_MS } from '../limits.js';

export interface UpstreamClientOptions {
  readonly resolve: Resolve;
  readonly policy: AddressPolicy;
  /** PEM file trusted beside the built-in authorities; `null` for none. */
  readonly caFile: string | null;
}

const POOL = { keepAlive: true, maxFreeSockets: 8, timeout: 4000, scheduling: 'lifo' } as const;

/** Requests to the operator's upstreams, over connections that are kept a few seconds for the next one. */
export class UpstreamClient {
  readonly #options: UpstreamClientOptions;
  readonly #plain = new http.Agent(POOL);
  #secure: https.Agent | undefined;
  readonly #lookup: LookupFunction;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#lookup = (host, { all }, callback) => {
      checkedAddresses(host, options.resolve, options.policy).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = found;
          if (all === true || first === undefined) callback(null, found);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => {
          callback(error instanceof Error ? error : new Error(String(error)), '');
        },
      );
    };
  }

  /** @param path with the upstream's base. Errors: `RefusedAddressError` for an address; others come as events. */
  request(route: Route, method: string, path: string, headers: HeaderList): http.ClientRequest {
    const { secure, host, port } = upstreamOf(route);
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !this.#options.policy(host)) throw new RefusedAddressError(host, host);
    const request = (secure ? https : http).request({
      host,
      port,
      method,
      path,
      headers: flatHeaders([['Host', new URL(route.upstream).host], ...headers]),
      setHost: false,
      lookup: this.#lookup,
      timeout: IDLE_MS,
      agent: secure ? (this.#secure ??= secureAgent(this.#options.caFile)) : this.#plain,
    });
    return givenUpAfter(CONNECT_MS, request);
  }

  close(): void {
    this.#plain.destroy();
    this.#secure?.destroy();
  }
}

/** All authorities are read once: doing so again for each connection would take longer than the connection. */
function secureAgent(caFile: string | null): https.Agent {
  if (caFile === null) return new https.Agent(POOL);
  const ca = [...rootCertificates, readFileSync(caFile, 'utf8')];
  return new https.Agent({ ...POOL, secureContext: createSecureContext({ ca }) });
}

/** Ends a request whose connection is not there in time; the answer may take as long as it likes. */
function givenUpAfter(ms: number, request: http.ClientRequest): http.ClientRequest {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => request.destroy(new Error(`no connection within ${String(ms)} ms`)), ms);
    const stop = (): void => {
      clearTimeout(timer);
    };
    socket.once('connect', stop);
    request.once('close', stop);
  });
  return request;
}
