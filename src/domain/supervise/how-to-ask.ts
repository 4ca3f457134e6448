import type { ProposalTool } from './proposal.js';

/** The MCP server that has the tools; clients put its name before theirs, as `mcp__supervise__pipelock-block`. */
export const SUPERVISE_SERVER = 'supervise';
/** Where it is on the sidecar's socket. */
export const SUPERVISE_PATH = '/supervise/mcp';

/** What a refusal tells the agent to do, to stand after "to ask for it". */
export function callToAsk(tool: ProposalTool): string {
  return `call the tool ${tool} of the MCP server ${SUPERVISE_SERVER}`;
}
