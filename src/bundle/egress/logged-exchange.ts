import type { BundleLog } from '../base/bundle-log.js';
import type { Ledger, Transfer } from './ledger.js';

export interface LoggedExchangeParts {
  readonly ledger: Ledger;
  readonly log: BundleLog;
}

/** One connection or request on its way to its one line in the log. */
export abstract class LoggedExchange {
  transfer: Transfer | undefined;
  readonly #began = performance.now();
  #isTold = false;

  constructor(
    protected readonly ledger: Ledger,
    private readonly log: BundleLog,
  ) {}

  protected get isTold(): boolean {
    return this.#isTold;
  }

  /** The first time counts. */
  protected tell(fields: Readonly<Record<string, unknown>>): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.log('info', 'egress', {
      ...fields,
      up: this.transfer?.up ?? 0,
      down: this.transfer?.down ?? 0,
      ms: Math.round(performance.now() - this.#began),
    });
  }
}
