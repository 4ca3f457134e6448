import { randomBytes } from 'node:crypto';
import type { ProposalOutcome, QueueAnswer, QueueBody } from '../../domain/run/queue.js';
import type { ProposalTool, ProposedFile } from '../../domain/supervise/proposal.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

export interface SuperviseDeskOptions {
  /** Durable when it resolves, after everything logged before. */
  readonly send: (id: string, body: QueueBody) => Promise<void>;
  readonly answers: { wait(requestId: string, signal: AbortSignal): Promise<QueueAnswer> };
  readonly slug: string;
  readonly turn: number;
  readonly now: () => number;
}

/** A worker that is away must find few of them: too many files in the queue freeze a run. */
const MAX_WAITING = 5;

/**
 * Hands each proposal to the orchestrator and holds the call until the operator's answer, or until the orchestrator says that
 * there is none yet. Calls are held side by side. The same proposal again waits with the one that is held, since clients
 * repeat what they lost sight of.
 */
export class SuperviseDesk {
  readonly #options: SuperviseDeskOptions;
  readonly #stopped = new AbortController();
  /** By what is proposed. */
  readonly #held = new Map<string, Promise<ProposalOutcome>>();

  constructor(options: SuperviseDeskOptions) {
    this.#options = options;
  }

  /** Errors: `JsonRpcError` -32002 when too many wait already, -32004 when the sidecar stops first. */
  async propose(tool: ProposalTool, proposed: ProposedFile): Promise<ProposalOutcome> {
    const key = JSON.stringify([tool, proposed]);
    return this.#held.get(key) ?? this.#hold(key, () => this.#ask(tool, proposed));
  }

  /** Ends the calls that are held: the proposals stay with the orchestrator, what is said to them reaches the next turn. */
  stop(): void {
    const why = 'the sidecar stops; the proposal was passed on, and your next turn tells what came of it';
    this.#stopped.abort(new JsonRpcError(JSON_RPC_CODE.pending, why));
  }

  #hold(key: string, ask: () => Promise<ProposalOutcome>): Promise<ProposalOutcome> {
    if (this.#stopped.signal.aborted)
      throw new JsonRpcError(
        JSON_RPC_CODE.internalError,
        'the sidecar stops; nothing was passed on: propose it in your next turn',
      );
    if (this.#held.size >= MAX_WAITING)
      throw new JsonRpcError(
        JSON_RPC_CODE.rateLimited,
        `${String(MAX_WAITING)} proposals wait already: wait for an answer to one of them`,
        { retryAfterMs: 10_000 },
      );
    const answer = ask().finally(() => {
      this.#held.delete(key);
    });
    this.#held.set(key, answer);
    return answer;
  }

  async #ask(
    tool: ProposalTool,
    { proposed_file: file, justification, current_file_hash: currentHash }: ProposedFile,
  ): Promise<ProposalOutcome> {
    const { send, answers, slug, turn, now } = this.#options;
    // Of each call its own: the answer to an earlier one may still lie there.
    const requestId = randomBytes(16).toString('hex');
    const body = { slug, turn, tool, file, justification, currentHash, at: now() };
    await send(requestId, { kind: 'proposal', ...body });
    const { result } = await answers.wait(requestId, this.#stopped.signal);
    if (result.kind === 'decision' || result.kind === 'refused') return result;
    throw new Error(`${tool} was answered with "${result.kind}"`);
  }
}
