/** What an agent writes to its sidecar's socket, and what it is answered. */
export interface RpcCase {
  readonly name: string;
  /** In pieces, one write each. Built when it is needed: some are large. */
  readonly wire: () => readonly Buffer[];
  /** Of all that comes back until the sidecar closes the connection; empty for nothing. */
  readonly answer: RegExp;
  /** So many clients do it at once. Default: one. */
  readonly clients?: number;
  /** How the client goes on after the last piece. Default: it waits for the answer. */
  readonly then?: Manner;
}

/** `drip`: writes that again and again, and never comes to an end. `leaves`: is gone. */
export type Manner = { readonly drip: Buffer } | 'is silent' | 'leaves';

export const NOTHING = /^$/;
/** A result, and no error beside it. */
export const RESULT = /^HTTP\/1\.1 200 (?![^]*"error")[^]*"result":/;

export function status(...codes: readonly number[]): RegExp {
  return new RegExp(`^HTTP/1\\.1 (${codes.join('|')}) `);
}

/** The sidecar closes before all is read, and whether its answer is seen is chance. */
export const CUT_OFF = /^$|^HTTP\/1\.1 4\d\d /;

/** Nothing but errors of that code, in an answer of that status. */
export function error(code: number, http = 200): RegExp {
  return new RegExp(
    `^HTTP/1\\.1 ${String(http)} (?![^]*"result":)(?![^]*"code":(?!${String(code)}\\b))[^]*"code":${String(code)}\\b`,
  );
}

export interface Head {
  readonly method?: string;
  readonly path?: string;
  /** Whole lines, in place of the usual ones. */
  readonly headers?: readonly string[];
}

const JSON_TYPE = 'Content-Type: application/json';

/** Request line and headers, without a length. */
export function head({ method = 'POST', path = '/rpc', headers = [JSON_TYPE] }: Head = {}): Buffer {
  return Buffer.from(`${[`${method} ${path} HTTP/1.1`, 'Host: bottle', ...headers].join('\r\n')}\r\n\r\n`);
}

export function post(body: string | Buffer, { headers = [JSON_TYPE], ...more }: Head = {}): Buffer {
  const bytes = Buffer.from(body);
  const length = `Content-Length: ${String(bytes.length)}`;
  return Buffer.concat([head({ ...more, headers: [...headers, length] }), bytes]);
}

/** A whole request with that body, as JSON-RPC. */
export function rpcBody(name: string, answer: RegExp, body: () => string | Buffer): RpcCase {
  return { name, wire: () => [post(body())], answer };
}

export function mcpBody(
  name: string,
  answer: RegExp,
  body: () => string | Buffer,
  headers?: readonly string[],
  path = '/mcp',
): RpcCase {
  const more = headers === undefined ? {} : { headers: [JSON_TYPE, ...headers] };
  return { name: `MCP: ${name}`, wire: () => [post(body(), { path, ...more })], answer };
}

/** The text of a call; `params` is JSON already, so that it may be what no value is. */
export function call(method: string, params: string, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
}

export function tool(name: string, args: string, id = '1'): string {
  return call('tools/call', `{"name":${JSON.stringify(name)},"arguments":${args}}`, id);
}

/** An array of arrays, closed again. */
export function nested(depth: number, inner = ''): string {
  return '['.repeat(depth) + inner + ']'.repeat(depth);
}

export function nestedObject(depth: number): string {
  return '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
}
