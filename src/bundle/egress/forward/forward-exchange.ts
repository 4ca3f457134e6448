import { LoggedExchange, type LoggedExchangeParts } from '../logged-exchange.js';
import type { ProposalTool } from '../../../domain/supervise/proposal.js';
import { refusalText } from './refusal.js';
import type { Target } from './target.js';

/** Answered instead of connecting. */
export class NotConnectedError extends Error {
  constructor(
    readonly status: 400 | 403 | 429 | 502,
    readonly why: string,
    /** What the agent may ask for, to be let through. */
    readonly ask: ProposalTool | null = null,
  ) {
    super(why);
  }
}

export class ForwardExchange extends LoggedExchange {
  constructor(
    { ledger, log }: LoggedExchangeParts,
    private readonly method: string,
    private readonly target: Target | undefined,
  ) {
    super(ledger, log);
  }

  /** What the client is told. */
  refused(error: unknown): { readonly status: number; readonly text: string } {
    const known =
      error instanceof NotConnectedError ? error : new NotConnectedError(502, 'cannot be reached');
    const { status, why, ask } = known;
    if (status === 403) this.ledger.refuse(this.target?.host ?? '');
    this.tell({ method: this.method, ...this.target, verdict: status === 502 ? 'failed' : 'refused', why });
    return { status, text: status === 403 ? refusalText({ why, ask }) : `bot-bottle: ${why}\n` };
  }

  /** After the tunnel was there. @param name the host that the TLS hello was for, if it was another one */
  refusedHello(why: string, name: string | undefined): void {
    this.ledger.refuse(name ?? this.target?.host ?? '');
    this.tell({ method: this.method, ...this.target, verdict: 'refused', why });
  }

  ended(how: 'done' | 'client gone' | 'server gone' | 'upload limit' | 'no longer allowed'): void {
    const { method, target } = this;
    this.tell({ method, host: target?.host, port: target?.port, verdict: 'allowed', how });
  }
}
