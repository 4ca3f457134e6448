import { isRecord } from '../../domain/base/is-record.js';
import { isForgeNumber } from '../../domain/forge/issue.js';
import type { Method } from '../plane/method.js';
import type { CallOutcome } from '../plane/plane.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

/** What a tool call is answered with, in MCP's form (specification 2025-11-25, "Tool Result"). */
export interface ToolAnswer {
  /** Index signature: MCP's results are open records. */
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

export function toolAnswer({ name, structured }: Method, { result, refused }: CallOutcome): ToolAnswer {
  if (refused !== undefined) return failed(`${name}: refused: ${refused}\nMend that and call ${name} again.`);
  if (structured === undefined || !isRecord(result)) return { content: blocksOf(result).map(block) };
  return { content: [block(structured.inWords(result))], structuredContent: { ...result } };
}

/**
 * Failures are answers too: the agent reads why, what is allowed and what to do, where a protocol error would stop it.
 * @param error what is no `JsonRpcError` is our fault, and not for the agent
 */
export function failedAnswer(method: Method, error: unknown): ToolAnswer {
  if (error instanceof JsonRpcError) return failed(`${error.message}. ${adviceFor(method, error)}`);
  return failed(
    `${method.name}: internal error of the helper. Calling again is harmless; if it goes on, say so in the summary of signal_done.`,
  );
}

/**
 * A method's result for an agent to read: JSON, and behind it every text of several lines as a block of its own, as it
 * is, since a diff inside JSON is hard to read. Not as `structuredContent` too, as the short ones: that would be all of it twice.
 */
function blocksOf(result: unknown): string[] {
  if (!isRecord(result)) return [JSON.stringify(result ?? null)];
  const texts: string[] = [];
  const head = Object.entries(result).map(([name, value]) => {
    if (!isRecord(value) || typeof value['text'] !== 'string' || !value['text'].includes('\n')) {
      return [name, value] as const;
    }
    const { text, ...rest } = value;
    texts.push(text);
    return [name, { ...rest, textInBlock: texts.length + 1 }] as const;
  });
  return [JSON.stringify(Object.fromEntries(head)), ...texts];
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
    case JSON_RPC_CODE.secretFound:
      return `Nothing was posted. Mend the text and call ${method.name} again.`;
    case JSON_RPC_CODE.usedUp:
      return 'Nothing was done. Calling again in this turn will not help.';
    case JSON_RPC_CODE.unchecked:
      return 'Nothing was posted. Calling again in a while may help and is harmless.';
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
