import type { ModelReport } from '../../domain/run/model-use.js';
import type { EgressTotals } from '../../domain/egress/totals.js';
import { errorFields, type BundleLog } from '../base/bundle-log.js';
import type { Ledger } from './ledger.js';

/** What this process has counted since it began, each time all of it. */
export interface EgressReport extends EgressTotals {
  /** Epoch milliseconds of the last good answer through a route; `null` when there was none. */
  readonly lastSuccessAt: number | null;
  /** What was asked of models; `null` as long as nothing was. */
  readonly model: ModelReport | null;
}

export interface EgressReporterOptions {
  readonly ledger: Ledger;
  readonly model: () => ModelReport | null;
  readonly send: (report: EgressReport) => Promise<void>;
  readonly log: BundleLog;
  readonly everyMs?: number;
}

const EVERY_MS = 3000;
/** What should be told soon is told after so long, with what comes meanwhile: each report is a file. */
const SOON_MS = 250;

/** Tells the worker what was counted: every few seconds when it changed, and at the end. */
export class EgressReporter {
  readonly #options: EgressReporterOptions;
  #told = '';
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: EgressReporterOptions) {
    this.#options = options;
    this.#told = this.#text();
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.atOnce(), this.#options.everyMs ?? EVERY_MS).unref();
  }

  /** For what a restart should not lose. */
  soon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.atOnce();
    }, SOON_MS).unref();
  }

  /** Resolves when the last report is written, or could not be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.atOnce();
  }

  /** For what a restart must not lose, and comes seldom. A report that could not be written is told again, with what came meanwhile. */
  atOnce(): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      const text = this.#text();
      if (text === this.#told) return;
      try {
        await this.#options.send(JSON.parse(text) as EgressReport);
        this.#told = text;
      } catch (error) {
        this.#options.log('error', 'egress totals cannot be written', errorFields(error));
      }
    });
    return this.#sending;
  }

  #text(): string {
    const { ledger, model } = this.#options;
    const report: EgressReport = {
      ...ledger.totals(),
      lastSuccessAt: ledger.lastSuccessAt,
      model: model(),
    };
    return JSON.stringify(report);
  }
}
