import { isDeepStrictEqual } from 'node:util';
import {
  BotBottleError,
  ForgeHttpError,
  ForgeScopeError,
  InvalidInputError,
} from '../../domain/base/errors.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import type { AtMost } from '../base/at-most.js';
import type { OperationLog } from '../base/operation-log.js';
import { redactParams, type Redact } from '../base/redact.js';
import { TextGate, type Readers } from './text-gate.js';
import { inlineText } from '../../domain/text/untrusted-text.js';
import type { CallStory, Method, MethodContext, MethodResult } from './method.js';
import type { RateLimiter } from './rate-limit.js';

export interface PlaneOptions {
  readonly methods: readonly Method[];
  readonly context: Omit<MethodContext, 'texts'>;
  readonly readers: Readers;
  /** Calls that read: each has some ten times as much in memory as the forge sends. */
  readonly reads: AtMost;
  /** Takes our own secrets out of what comes in. */
  readonly redact: Redact;
  /** The run's: the calls of all planes count against it. */
  readonly limiter: RateLimiter;
  readonly log: Pick<OperationLog, 'add' | 'countLimited'>;
}

/** What a call came to. `refused` says why nothing was done although the call itself was carried out. */
export interface CallOutcome {
  readonly result: unknown;
  readonly refused: string | undefined;
}

/** Runs the agent's calls: rate limit, parameters, method; every one becomes one line of the operation log. */
export class Plane {
  readonly #options: PlaneOptions;
  readonly #methods: ReadonlyMap<string, Method>;
  /** What the log has of texts that were kept back: the agent decides how often it asks for them. */
  readonly #toldWithheld = new Set<string>();
  readonly #underWay = new Map<
    object,
    { readonly operation: string; readonly story: CallStory; readonly began: number }
  >();

  constructor(options: PlaneOptions) {
    this.#options = options;
    this.#methods = new Map(options.methods.map((method) => [method.name, method]));
  }

  /** Errors: `JsonRpcError` for what the agent may know; anything else is a fault of ours and is logged as such. */
  async call(name: string, given: unknown): Promise<CallOutcome> {
    const { context, readers, reads, redact } = this.#options;
    const method = this.#admit(redact(name));
    const params = redactParams(given, redact);
    const call = this.#prepare(method, params);
    const key = {};
    this.#underWay.set(key, { operation: method.name, story: call.story, began: performance.now() });
    try {
      // Nothing that held a secret of ours is written anywhere.
      if (method.kind === 'write' && !isDeepStrictEqual(params, given))
        throw new JsonRpcError(JSON_RPC_CODE.secretFound, BLANKED);
      const texts = new TextGate(readers);
      const run = (): Promise<MethodResult> => call.run({ ...context, texts });
      const { result, did, refused } = await (method.kind === 'read' ? reads.work(run) : run());
      this.#tellWithheld(method.name, call.story.target, texts);
      if (refused === undefined) this.#tell(key, 'ok', `${did ?? call.story.did}${countOf(texts)}`);
      else this.#tell(key, 'refused', `refused ${call.story.attempt}: ${refused}`);
      return { result, refused };
    } catch (error) {
      const known = agentError(error, call.story.attempt, context.forge.writable);
      const { attempt, passedOn } = call.story;
      const outcome = isRefusal(error) ? 'refused' : 'failed';
      if (known?.code === JSON_RPC_CODE.pending && passedOn !== undefined) this.#tell(key, 'ok', passedOn);
      else this.#tell(key, outcome, `${outcome} ${attempt}: ${reasonOf(error, known)}`);
      throw known ?? error;
    }
  }

  /** At shutdown: what has not ended is told as failed, since nobody will be here to tell how it ended. */
  interrupt(): void {
    for (const [key, { story }] of [...this.#underWay]) {
      this.#tell(key, 'failed', `failed ${story.attempt}: the sidecar was stopped before it ended`);
    }
  }

  /** The line of a call, once. */
  #tell(key: object, outcome: 'ok' | 'refused' | 'failed', text: string): void {
    const call = this.#underWay.get(key);
    if (call === undefined) return;
    this.#underWay.delete(key);
    const ms = Math.round(performance.now() - call.began);
    this.#options.log.add({ operation: call.operation, target: call.story.target, outcome, text, ms });
  }

  /** Each text once, and no more of them than a log is read for: their number is with every call. */
  #tellWithheld(operation: string, target: string, { withheld }: TextGate): void {
    for (const text of withheld) {
      if (this.#toldWithheld.size >= MAX_TOLD_WITHHELD) return;
      if (this.#toldWithheld.has(text)) continue;
      this.#toldWithheld.add(text);
      this.#options.log.add({ operation, target, outcome: 'refused', text: `withheld ${text}` });
    }
  }

  /** It is counted, also when there is no such method. Errors: `JsonRpcError` -32002 and -32601, both told to the log. */
  #admit(name: string): Method {
    const { limiter, log } = this.#options;
    const method = this.#methods.get(name);
    try {
      limiter.admit(method?.kind ?? 'unknown');
    } catch (error) {
      log.countLimited();
      throw error;
    }
    if (method !== undefined) return method;
    const shown = inlineText(name, 40);
    const text = `refused unknown method "${shown}"`;
    log.add({ operation: 'unknown', target: '', outcome: 'refused', text });
    throw new JsonRpcError(JSON_RPC_CODE.methodNotFound, `method not found: ${shown}`);
  }

  #prepare(method: Method, params: unknown): ReturnType<Method['prepare']> {
    try {
      return method.prepare(params);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'invalid params';
      const text = `refused ${method.name}: ${why}`;
      this.#options.log.add({ operation: method.name, target: '', outcome: 'refused', text });
      throw error;
    }
  }
}

const MAX_TOLD_WITHHELD = 500;

function countOf({ withheld }: TextGate): string {
  return withheld.size === 0 ? '' : ` (${String(withheld.size)} withheld)`;
}

/** Of texts that our own secrets were taken out of. */
const BLANKED =
  'this holds a secret of the orchestrator (rule known-secret). Leave it out of the text. Say in your summary that it has to be replaced; do not repeat it anywhere';

function isRefusal(error: unknown): boolean {
  if (error instanceof JsonRpcError)
    return error.code !== JSON_RPC_CODE.pending && error.code !== JSON_RPC_CODE.unchecked;
  return error instanceof ForgeScopeError || error instanceof InvalidInputError;
}

function reasonOf(error: unknown, known: JsonRpcError | undefined): string {
  if (error instanceof ForgeScopeError) return error.reason;
  if (error instanceof ForgeHttpError) return forgeSays(error.status);
  return known?.message ?? 'internal error';
}

/** What the agent may know of an error; `undefined` for a fault of ours. It names no forge, host or path. */
function agentError(error: unknown, attempt: string, writable: readonly number[]): JsonRpcError | undefined {
  if (error instanceof JsonRpcError) return error;
  if (error instanceof ForgeScopeError) {
    const { operation, target, reason } = error;
    const data = { operation, target, reason, writable };
    return new JsonRpcError(JSON_RPC_CODE.outOfScope, error.message, data, { cause: error });
  }
  if (error instanceof InvalidInputError) {
    return new JsonRpcError(JSON_RPC_CODE.invalidParams, `invalid params: ${error.message}`, undefined, {
      cause: error,
    });
  }
  if (error instanceof ForgeHttpError) {
    const data = { status: error.status, retryable: error.retryable };
    return new JsonRpcError(JSON_RPC_CODE.forgeError, `${attempt}: ${forgeSays(error.status)}`, data, {
      cause: error,
    });
  }
  if (error instanceof BotBottleError) {
    const data = { status: 0, retryable: error.retryable };
    return new JsonRpcError(JSON_RPC_CODE.forgeError, `${attempt}: ${error.code}`, data, { cause: error });
  }
  return undefined;
}

function forgeSays(status: number): string {
  switch (status) {
    case 0:
      return 'the forge does not answer';
    case 401:
    case 403:
      return `the forge does not allow it (${String(status)})`;
    case 404:
      return 'not found (404)';
    default:
      return `the forge answered ${String(status)}`;
  }
}
