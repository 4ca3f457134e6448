import type { OnPost } from './jsonrpc/http-unix.js';
import type { McpDoorOptions } from './mcp/mcp-door.js';

/** MCP's SDK is loaded with the first request for it: most of what the sidecar weighs, and not every agent asks. */
export function lazyMcp(options: McpDoorOptions): OnPost {
  let loading: Promise<OnPost> | undefined;
  return async (body, request, response) => {
    try {
      const answer = await (loading ??= import('./mcp/mcp-door.js').then(({ mcpDoor }) => mcpDoor(options)));
      await answer(body, request, response);
    } catch (error) {
      options.onFault(error);
      response.destroy();
    }
  };
}
