import type { ProposalOutcome } from '../../domain/run/queue.js';
import type { ProposalTool, ProposedFile } from '../../domain/supervise/proposal.js';
import type { Ask } from '../base/ask.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

/** A worker that is away must find few of them: too many files in the queue freeze a run. */
const MAX_WAITING = 5;

/**
 * Hands each proposal to the orchestrator and holds the call until the operator's answer, or until the orchestrator says that
 * there is none yet. Calls are held side by side. The same proposal again waits with the one that is held, since clients
 * repeat what they lost sight of.
 */
export class SuperviseDesk {
  readonly #stopped = new AbortController();
  /** By what is proposed. */
  readonly #held = new Map<string, Promise<ProposalOutcome>>();

  constructor(private readonly ask: Ask) {}

  /** Errors: `JsonRpcError` -32002 when too many wait already, -32004 when the sidecar stops first. */
  async propose(tool: ProposalTool, proposed: ProposedFile): Promise<ProposalOutcome> {
    const key = JSON.stringify([tool, proposed]);
    return this.#held.get(key) ?? this.#hold(key, tool, proposed);
  }

  /** Ends the calls that are held: the proposals stay with the orchestrator, what is said to them reaches the next turn. */
  stop(): void {
    const why = 'the sidecar stops; the proposal was passed on, and your next turn tells what came of it';
    this.#stopped.abort(new JsonRpcError(JSON_RPC_CODE.pending, why));
  }

  #hold(key: string, tool: ProposalTool, proposed: ProposedFile): Promise<ProposalOutcome> {
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
    const answer = this.#propose(tool, proposed).finally(() => {
      this.#held.delete(key);
    });
    this.#held.set(key, answer);
    return answer;
  }

  async #propose(
    tool: ProposalTool,
    { proposed_file: file, justification, current_file_hash: currentHash }: ProposedFile,
  ): Promise<ProposalOutcome> {
    const content = { kind: 'proposal', tool, file, justification, currentHash } as const;
    const result = await this.ask(content, this.#stopped.signal);
    if (result.kind === 'decision' || result.kind === 'refused') return result;
    throw new Error(`${tool} was answered with "${result.kind}"`);
  }
}
