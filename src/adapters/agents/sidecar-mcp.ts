import { SUPERVISE_PATH, SUPERVISE_SERVER } from '../../domain/supervise/how-to-ask.js';

/** An MCP server of the sidecar, for CLIs that start theirs: what they start relays to the sidecar's socket. */
export interface SidecarMcp {
  /** The tools' names begin with `mcp__<name>__`, or as the CLI does it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const NODE = '/usr/local/bin/node';
const SHIM = '/opt/bottle/mcp-stdio.mjs';

/** The forge's tools. */
export const FORGE_MCP: SidecarMcp = { name: 'bottle', command: NODE, args: [SHIM] };

/** The tools of an agent that is stuck. */
export const SUPERVISE_MCP: SidecarMcp = {
  name: SUPERVISE_SERVER,
  command: NODE,
  args: [SHIM, SUPERVISE_PATH],
};

export const MCP_TIMEOUTS = {
  /** Publishing looks for secrets and pushes before it answers; a proposal waits for a person. */
  toolSeconds: 600,
  startSeconds: 30,
} as const;

/** Those of a run. @param forge false: it has none, and so no tools of one */
export function mcpServers(forge: boolean): readonly SidecarMcp[] {
  return forge ? [FORGE_MCP, SUPERVISE_MCP] : [SUPERVISE_MCP];
}
