import { InvalidInputError } from '../../domain/base/errors.js';
import type { ListenAddress } from '../../domain/base/listen-address.js';
import { isLoopbackHost } from '../../domain/base/loopback.js';

export const WEBHOOK_PATH = '/webhooks/gitea';

export interface UrlQuestion {
  /** `--url`, which wins over the setting. */
  readonly given: string | null;
  readonly publicUrl: string | null;
  readonly forgeApi: string;
  readonly listen: ListenAddress;
}

/**
 * The address the forge delivers to, with the door's path. Without one given it follows from `WEBHOOK_LISTEN` where
 * forge and webhook are on the same loopback.
 * Errors: `InvalidInputError` for a bad address, or when none is known.
 */
export function webhookUrl({ given, publicUrl, forgeApi, listen }: UrlQuestion): string {
  const stated = given ?? publicUrl;
  if (stated !== null) return withPath(stated, given === null ? 'WEBHOOK_PUBLIC_URL' : '--url');
  if (isLoopbackHost(new URL(forgeApi).hostname) && isLoopbackHost(listen.host)) {
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
    return `http://${host}:${String(listen.port)}${WEBHOOK_PATH}`;
  }
  throw new InvalidInputError(
    'how the forge reaches the webhook is not known: set WEBHOOK_PUBLIC_URL, or give --url https://… (the address of ' +
      `this machine or of the proxy before ${listen.host}:${String(listen.port)}); --no-webhook sets up labels only`,
  );
}

/** Whether an address ends where our door is. */
export function hasWebhookPath(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.endsWith(WEBHOOK_PATH);
}

function withPath(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidInputError(`${source} must be an http:// or https:// address`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidInputError(`${source} must have no user, password, ? or #`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(WEBHOOK_PATH) ? path : path + WEBHOOK_PATH;
  return url.href;
}
