import { createServer, type Server } from 'node:http';
import { chmod } from 'node:fs/promises';

export const ISSUE_TEXT = 'The issue says: write notes.';

interface RpcMessage {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** The least of the sidecar's MCP on a Unix socket: one tool, `read_issue`. Tests of the real one are in test/e2e. */
export async function serveForgeStub(socket: string): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, ...message } = JSON.parse(Buffer.concat(chunks).toString()) as RpcMessage;
      if (id === undefined) response.writeHead(202).end();
      else {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(message) }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await chmod(socket, 0o666);
  return server;
}

function resultOf({ method, params }: Omit<RpcMessage, 'id'>): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bottle', version: '1' },
      };
    case 'tools/list':
      return {
        tools: [
          {
            name: 'read_issue',
            description: 'Reads the issue.',
            inputSchema: { type: 'object', properties: {} },
          },
        ],
      };
    case 'tools/call':
      return { content: [{ type: 'text', text: ISSUE_TEXT }] };
    default:
      return {};
  }
}
