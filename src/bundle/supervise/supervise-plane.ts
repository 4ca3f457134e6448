import { PROPOSAL_TOOLS } from '../../domain/supervise/proposal.js';
import type { OperationLog } from '../base/operation-log.js';
import { admitCall } from '../forge/admit-call.js';
import { BLANKED, type CallOutcome } from '../forge/forge-plane.js';
import { parseParams } from '../forge/params.js';
import type { RateLimiter } from '../forge/rate-limit.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import { PROPOSAL_PARAMS } from './proposal-params.js';
import { PROPOSAL_TOOL_SOURCES, type ProposalToolSource } from './proposal-tools.js';
import type { ProposalOutcome, SuperviseDesk } from './supervise-desk.js';

export interface SupervisePlaneOptions {
  readonly desk: Pick<SuperviseDesk, 'propose'>;
  /** The run's, which the forge's calls count against too. */
  readonly limiter: RateLimiter;
  readonly log: Pick<OperationLog, 'add' | 'countLimited'>;
}

const TOOLS = new Map(PROPOSAL_TOOL_SOURCES.map((tool) => [tool.name as string, tool]));

/** Runs what an agent proposes: rate limit, parameters, desk; every call becomes one line of the operation log. */
export class SupervisePlane {
  readonly #options: SupervisePlaneOptions;

  constructor(options: SupervisePlaneOptions) {
    this.#options = options;
  }

  /**
   * @param blanked whether a secret of ours was taken out of the parameters: nothing of that is proposed
   * Errors: `JsonRpcError` for what the agent may know; anything else is a fault of ours and is logged as such.
   */
  async call(name: string, params: unknown, blanked = false): Promise<CallOutcome> {
    const tool = admitCall(name, TOOLS, this.#options);
    const began = performance.now();
    const tell = (outcome: 'ok' | 'refused' | 'failed', came: string): void => {
      const { component } = PROPOSAL_TOOLS[tool.name];
      const text = `proposed a new ${tool.file} for ${component}: ${came}`;
      const ms = Math.round(performance.now() - began);
      this.#options.log.add({ operation: tool.name, target: tool.file, outcome, text, ms });
    };
    try {
      const answer = await this.#propose(tool, params, blanked);
      if (answer.kind === 'refused') {
        tell('refused', answer.reason);
        return { result: {}, refused: answer.reason };
      }
      const { status, notes, id } = answer;
      tell('ok', status);
      return { result: { status, notes, id }, refused: undefined };
    } catch (error) {
      if (!(error instanceof JsonRpcError)) tell('failed', 'internal error');
      else if (error.code === JSON_RPC_CODE.pending) tell('ok', 'pending, since the turn ended first');
      else tell('refused', error.message);
      throw error;
    }
  }

  #propose(tool: ProposalToolSource, params: unknown, blanked: boolean): Promise<ProposalOutcome> {
    const proposed = parseParams(PROPOSAL_PARAMS, params);
    if (blanked) throw new JsonRpcError(JSON_RPC_CODE.secretFound, BLANKED);
    return this.#options.desk.propose(tool.name, proposed);
  }
}
