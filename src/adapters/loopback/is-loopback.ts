import { isIP } from 'node:net';

/** 127.0.0.0/8, `::1` or `localhost`, as a URL's host. A text that is no URL is not loopback. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  // The parser has made `127.1`, `0x7f.1` and the like into plain addresses.
  return isLoopbackHost(new URL(url).hostname);
}

export function isLoopbackHost(host: string): boolean {
  const bare = host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
  if (bare === 'localhost') return true;
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || /^::ffff:(?:127\.|7f[0-9a-f]{2}:)/.test(bare);
}
