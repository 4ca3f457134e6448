/** One HTTP/1.1 message as it was on the wire. */
export interface WireMessage {
  /** Request or status line. */
  readonly startLine: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Head with its empty line. */
  readonly head: Buffer;
  /** As framed: chunked bodies with their chunk lines. */
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';

/**
 * Takes the first whole message off the front of `bytes` (RFC 9112 6.3); `undefined` while there is none. `ended`: the
 * sender has closed, which ends a body without a length.
 */
export function takeMessage(
  bytes: Buffer,
  kind: 'request' | 'answer',
  ended = false,
): { readonly message: WireMessage; readonly rest: Buffer } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.subarray(0, headEnd + HEAD_END.length);
  const after = bytes.subarray(head.length);
  const [startLine = '', ...lines] = head.toString('latin1').trimEnd().split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = bodyLength(startLine, headers, after, kind, ended);
  if (length === undefined || after.length < length) return undefined;
  return {
    message: { startLine, headers, head, body: after.subarray(0, length) },
    rest: after.subarray(length),
  };
}

function bodyLength(
  startLine: string,
  headers: ReadonlyMap<string, string>,
  after: Buffer,
  kind: 'request' | 'answer',
  ended: boolean,
): number | undefined {
  if (kind === 'answer' && /^HTTP\/1\.\d (?:1\d\d|204|304)/.test(startLine)) return 0;
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return chunkedLength(after);
  const length = headers.get('content-length');
  if (length !== undefined) return Number(length);
  if (kind === 'request') return 0;
  return ended ? after.length : undefined;
}

/** The body without its chunk lines. */
export function contentOf({ headers, body }: WireMessage): Buffer {
  if (headers.get('transfer-encoding')?.toLowerCase() !== 'chunked') return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

/** Bytes up to the end of the last chunk; `undefined` while it isn't there. Trailers aren't supported. */
function chunkedLength(bytes: Buffer): number | undefined {
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return at;
  }
}
