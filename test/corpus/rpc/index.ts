import { BODIES } from './bodies.js';
import { HTTP } from './http.js';
import { MCP } from './mcp.js';
import { PARAMETERS } from './parameters.js';
import type { RpcCase } from './rpc-case.js';
import { SLOW } from './slow.js';
import { SUPERVISE } from './supervise.js';

/** What a hostile agent writes to its sidecar's socket: HTTP, JSON-RPC and MCP. */
export const HOSTILE_REQUESTS: readonly RpcCase[] = [...BODIES, ...PARAMETERS, ...MCP, ...SUPERVISE, ...HTTP];

/** Those that keep a connection until the sidecar's deadline. */
export const SLOW_REQUESTS: readonly RpcCase[] = SLOW;
