import type { BundleLog } from '../../base/bundle-log.js';
import type { Ledger, Transfer } from '../ledger.js';
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

/** One connection or request on its way to its one line in the log. */
export class ForwardExchange {
  transfer: Transfer | undefined;
  readonly #began = performance.now();
  #isTold = false;

  constructor(
    private readonly parts: { readonly ledger: Ledger; readonly log: BundleLog },
    private readonly method: string,
    private readonly target: Target | undefined,
  ) {}

  /** What the client is told. */
  refused(error: unknown): { readonly status: number; readonly text: string } {
    const known =
      error instanceof NotConnectedError ? error : new NotConnectedError(502, 'cannot be reached');
    const { status, why, ask } = known;
    if (status === 403) this.parts.ledger.refuse(this.target?.host ?? '');
    this.tell({ ...this.target, verdict: status === 502 ? 'failed' : 'refused', why });
    return { status, text: status === 403 ? refusalText({ why, ask }) : `bot-bottle: ${why}\n` };
  }

  /** After the tunnel was there. @param name the host that the TLS hello was for, if it was another one */
  refusedHello(why: string, name: string | undefined): void {
    this.parts.ledger.refuse(name ?? this.target?.host ?? '');
    this.tell({ ...this.target, verdict: 'refused', why });
  }

  ended(how: 'done' | 'client gone' | 'server gone' | 'upload limit' | 'no longer allowed'): void {
    this.tell({ host: this.target?.host, port: this.target?.port, verdict: 'allowed', how });
  }

  private tell(fields: Readonly<Record<string, unknown>>): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.parts.log('info', 'egress', {
      method: this.method,
      ...fields,
      up: this.transfer?.up ?? 0,
      down: this.transfer?.down ?? 0,
      ms: Math.round(performance.now() - this.#began),
    });
  }
}
