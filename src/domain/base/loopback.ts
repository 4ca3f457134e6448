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
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:(?:127\.|7f[0-9a-f]{2}:).*)$/.test(bare);
}
