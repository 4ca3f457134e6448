import { isForgeNumber } from '../../domain/issue.js';
import type { CallOutcome } from '../forge/forge-plane.js';
import type { Method } from '../forge/method.js';
import { isRecord, JSON_RPC_CODE, type JsonRpcError } from '../jsonrpc/protocol.js';

/** What a tool call is answered with, in MCP's form (specification 2025-11-25, "Tool Result"). */
export interface ToolAnswer {
  /** Index signature: MCP's results are open records. */
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: true;
}

/**
 * A method's result for an agent to read: JSON, and behind it every text of several lines as a block of its own, as it
 * is, since a diff inside JSON is hard to read. Not as `structuredContent` too: that would be all of it twice.
 */
export function toolAnswer(method: Method, { result, refused }: CallOutcome): ToolAnswer {
  if (refused !== undefined) {
    return failed(`${method.name}: refused: ${refused}\nMend that and call ${method.name} again.`);
  }
  if (!isRecord(result)) return { content: [block(JSON.stringify(result ?? null))] };
  const texts: string[] = [];
  const head = Object.entries(result).map(([name, value]) => {
    if (!isRecord(value) || typeof value['text'] !== 'string' || !value['text'].includes('\n')) {
      return [name, value] as const;
    }
    const { text, ...rest } = value;
    texts.push(text);
    return [name, { ...rest, textInBlock: texts.length + 1 }] as const;
  });
  return { content: [JSON.stringify(Object.fromEntries(head)), ...texts].map(block) };
}

/** Why a call failed, and what to do: the agent reads it and nobody else. */
export function toolError(method: Method, error: JsonRpcError): ToolAnswer {
  return failed(`${error.message}. ${adviceFor(method, error)}`);
}

/** For a fault of the sidecar: what it was stays in its log. */
export function toolFault(method: Method): ToolAnswer {
  return failed(
    `${method.name}: internal error of the helper. Calling again is harmless; if it goes on, say so in the summary of signal_done.`,
  );
}

function failed(text: string): ToolAnswer {
  return { content: [block(text)], isError: true };
}

function block(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}

function adviceFor(method: Method, error: JsonRpcError): string {
  switch (error.code) {
    case JSON_RPC_CODE.outOfScope:
      return `You may write to ${writableIn(error)}, and read any number of this repository.`;
    case JSON_RPC_CODE.invalidParams:
      return `${method.name} takes ${JSON.stringify(method.inputSchema['properties'])}`;
    case JSON_RPC_CODE.rateLimited:
      return 'Nothing was done. Call again after that time; signal_done has an allowance of its own.';
    case JSON_RPC_CODE.pending:
      return 'Do not wait for it: the answer comes with your next turn.';
    case JSON_RPC_CODE.alreadyDone:
      return 'End your turn now.';
    case JSON_RPC_CODE.forgeError:
      return error.data?.['retryable'] === true
        ? 'Calling again in a while may help and is harmless.'
        : 'Calling again with the same arguments will not help.';
    default:
      return 'Nothing more is known.';
  }
}

function writableIn({ data }: JsonRpcError): string {
  const given: unknown = data?.['writable'];
  const numbers = (Array.isArray(given) ? given : []).filter(isForgeNumber).map((number) => `#${number}`);
  return numbers.length === 0 ? 'nothing' : `${numbers.join(' and ')} only`;
}
