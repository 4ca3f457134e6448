import { inlineText } from '../../domain/text/untrusted-text.js';
import type { OperationLog } from '../base/operation-log.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import type { CallKind, RateLimiter } from './rate-limit.js';

/**
 * What comes before every call of a plane: it is counted, also when there is no such method.
 * Errors: `JsonRpcError` -32002 and -32601, both told to the log.
 */
export function admitCall<M extends { readonly kind: CallKind }>(
  name: string,
  methods: ReadonlyMap<string, M>,
  {
    limiter,
    log,
  }: { readonly limiter: RateLimiter; readonly log: Pick<OperationLog, 'add' | 'countLimited'> },
): M {
  const method = methods.get(name);
  try {
    limiter.admit(method?.kind ?? 'unknown');
  } catch (error) {
    log.countLimited();
    throw error;
  }
  if (method !== undefined) return method;
  const shown = inlineText(name, 40);
  log.add({
    operation: 'unknown',
    target: '',
    outcome: 'refused',
    text: `refused unknown method "${shown}"`,
  });
  throw new JsonRpcError(JSON_RPC_CODE.methodNotFound, `method not found: ${shown}`);
}
