import { createServer, type Server } from 'node:http';
import { chmod } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SUPERVISE_PATH } from '../../../src/domain/supervise/how-to-ask.js';
import { PROPOSAL_TOOLS } from '../../../src/domain/supervise/proposal.js';

export const ISSUE_TEXT = 'The issue says: write notes.';

export type ForgeTools = Readonly<Record<string, () => string | Promise<string>>>;

/** Where the sidecar has its other tools. */
const SUPERVISE_TOOLS: ForgeTools = Object.fromEntries(
  Object.keys(PROPOSAL_TOOLS).map((name) => [name, () => 'pending']),
);

interface RpcMessage {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string };
}

/**
 * The least of the sidecar's MCP on a Unix socket: the forge's tools of these names, and what each does. Tests of the real one
 * are in test/e2e.
 *
 * @param startMs how long it takes to say hello
 */
export async function serveForgeStub(
  socket: string,
  tools: ForgeTools = { read_issue: () => ISSUE_TEXT },
  startMs = 0,
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, ...message } = JSON.parse(Buffer.concat(chunks).toString()) as RpcMessage;
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.setHeader('content-type', 'application/json');
      void delay(message.method === 'initialize' ? startMs : 0)
        .then(() => resultOf(message, request.url === SUPERVISE_PATH ? SUPERVISE_TOOLS : tools))
        .then((result) => ({ result }))
        .catch((error: unknown) => ({ error: { code: -32603, message: String(error) } }))
        .then((answer) => response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer })));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await chmod(socket, 0o666);
  return server;
}

async function resultOf({ method, params }: Omit<RpcMessage, 'id'>, tools: ForgeTools): Promise<object> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bottle', version: '1' },
      };
    case 'tools/list':
      return {
        tools: Object.keys(tools).map((name) => ({
          name,
          description: `Does ${name.replaceAll('_', ' ')}.`,
          inputSchema: { type: 'object', properties: {} },
        })),
      };
    case 'tools/call':
      return { content: [{ type: 'text', text: await tools[params?.name ?? '']?.() }] };
    default:
      return {};
  }
}
