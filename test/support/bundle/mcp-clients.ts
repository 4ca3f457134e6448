import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

export const SHIM = join(import.meta.dirname, '..', '..', '..', 'images', 'agent', 'mcp-stdio.mjs');

/** `fetch` over a Unix socket, which Node's own cannot do. */
export function unixFetch(socketPath: string): FetchLike {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { pathname } = new URL(url);
      const headers = Object.fromEntries(new Headers(init.headers).entries());
      const outgoing = request(
        { socketPath, path: pathname, method: init.method ?? 'GET', headers, agent: false },
        (incoming) => {
          const status = incoming.statusCode ?? 0;
          const type = incoming.headers['content-type'];
          const body = status === 204 ? null : (Readable.toWeb(incoming) as ReadableStream);
          resolve(
            new Response(body, {
              status,
              ...(type === undefined ? {} : { headers: { 'content-type': type } }),
            }),
          );
        },
      );
      const leave = (): void => {
        outgoing.destroy();
      };
      init.signal?.addEventListener('abort', leave);
      outgoing.once('close', () => init.signal?.removeEventListener('abort', leave));
      outgoing.on('error', reject);
      outgoing.end(typeof init.body === 'string' ? init.body : undefined);
    });
}

export type Connect = (socketPath: string, env?: Readonly<Record<string, string>>) => Transport;

/** The official client's two ways to the sidecar. */
export const WAYS: readonly (readonly [name: string, connect: Connect])[] = [
  [
    'streamable HTTP on the Unix socket',
    (socketPath) =>
      // The SDK's own classes disagree with its interface under exactOptionalPropertyTypes.
      new StreamableHTTPClientTransport(new URL('http://sidecar/mcp'), {
        fetch: unixFetch(socketPath),
      }),
  ],
  [
    'standard input and output of the shim',
    (socketPath, env = {}) =>
      new StdioClientTransport({
        command: process.execPath,
        args: [SHIM],
        env: { ...getDefaultEnvironment(), BOTTLE_FORGE_SOCKET: socketPath, ...env },
        stderr: 'ignore',
      }),
  ],
];

export async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

export interface ToolResult {
  readonly isError: boolean;
  readonly blocks: readonly string[];
}

/** Calls a tool and reads the text blocks of its answer. */
export async function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: Parameters<Client['callTool']>[2] = {},
): Promise<ToolResult> {
  const answer = await client.callTool({ name, arguments: args }, CallToolResultSchema, options);
  const { content, isError } = CallToolResultSchema.parse(answer);
  return {
    isError: isError === true,
    blocks: content.map((block) => (block.type === 'text' ? block.text : `a block of type ${block.type}`)),
  };
}
