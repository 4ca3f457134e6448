/** The forge's tools, for CLIs that start their MCP servers: what they relay to is the sidecar's socket. */
export const FORGE_MCP = {
  /** The tools' names begin with `mcp__bottle__`. */
  name: 'bottle',
  command: '/usr/local/bin/node',
  args: ['/opt/bottle/mcp-stdio.mjs'],
  /** Publishing looks for secrets and pushes before it answers. */
  toolTimeoutSeconds: 600,
  startTimeoutSeconds: 30,
} as const;
