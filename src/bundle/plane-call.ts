import { isDeepStrictEqual } from 'node:util';
import { redactParams, type Redact } from './base/redact.js';
import { JsonRpcError } from './jsonrpc/protocol.js';
import type { CallVerdict } from './mcp/tool-answer.js';
import type { CallOutcome, Plane } from './plane/plane.js';

export type PlaneCall = (name: string, params: unknown) => Promise<CallOutcome>;

/** The one way from any protocol to a plane's methods: what comes in has lost our secrets. */
export function planeCall(plane: Pick<Plane, 'call'>, redact: Redact): PlaneCall {
  return (name, params) => {
    const clean = redactParams(params, redact);
    return plane.call(redact(name), clean, !isDeepStrictEqual(clean, params));
  };
}

/** The same for who wants an answer, whatever happens. @param onFault told what the caller must not see */
export function verdictOf(
  call: PlaneCall,
  onFault: (error: unknown) => void,
): (name: string, params: unknown) => Promise<CallVerdict> {
  return async (name, params) => {
    try {
      return { kind: 'answered', ...(await call(name, params)) };
    } catch (error) {
      if (error instanceof JsonRpcError) return { kind: 'failed', error };
      onFault(error);
      return { kind: 'fault' };
    }
  };
}
