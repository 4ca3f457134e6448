/** Where the vendors' models are: reached through routes, which read and meter what is asked of them. */
import { upstreamOf } from './upstream.js';

export const VENDOR_UPSTREAMS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
} as const;

const HOSTS = Object.values(VENDOR_UPSTREAMS).map((upstream) => upstreamOf({ upstream }).host);

/** Of a host in an allowlist, or that is asked for as if it were there. */
export const ONLY_BY_ROUTE = 'leads to a vendor of models, which is reached through a route only';

/** @param host lower case; also one below a vendor's, such as a region's */
export function isVendorHost(host: string): boolean {
  return HOSTS.some((known) => isAtOrBelow(host, known));
}

/** Both in lower case. */
export function isAtOrBelow(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`);
}
