import type { IncomingHttpHeaders } from 'node:http';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Headers of one connection, not of the message (RFC 9110, 7.6.1, and what is used besides). */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-authentication-info', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);

/** Headers of a message that go on: pairs in their order, without those of the connection and those it names. */
export function endToEnd(rawHeaders: readonly string[]): HeaderList {
  const pairs = pairsOf(rawHeaders);
  const named = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase())),
  );
  // The length is the message's own whatever the connection header says, and who drops it changes where it ends.
  named.delete('content-length');
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.has(lower) && !named.has(lower);
  });
}

export type Framing =
  | { readonly kind: 'framed'; readonly hasBody: boolean; readonly headers: HeaderList }
  | { readonly kind: 'unknown' };

/**
 * Where a request's body ends, said again for the next connection: Node leaves it out for methods that seldom have one,
 * and then a body would be read as a second request. Its length stands among the headers that go on.
 */
export function framingOf(headers: IncomingHttpHeaders): Framing {
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined)
    return { kind: 'framed', hasBody: (headers['content-length'] ?? '0') !== '0', headers: [] };
  // Any other coding would be lost with the header.
  if (encoding.trim().toLowerCase() !== 'chunked') return { kind: 'unknown' };
  return { kind: 'framed', hasBody: true, headers: [['Transfer-Encoding', 'chunked']] };
}

export function withoutHeaders(headers: HeaderList, names: ReadonlySet<string>): HeaderList {
  return headers.filter(([name]) => !names.has(name.toLowerCase()));
}

/** As Node's client and server take them: alternating names and values, nothing joined. */
export function flatHeaders(headers: HeaderList): string[] {
  return headers.flatMap(([name, value]) => [name, value]);
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
