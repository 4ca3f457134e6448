import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../cli/base/errors.js';
import { EXIT } from '../../cli/base/exit-codes.js';
import { pauseBeforeRestart, type PartEnd } from '../../domain/upkeep/part-ends.js';

export interface Part {
  /** Resolves when it serves; stays open when it ends before. */
  readonly serving: Promise<unknown>;
  readonly ended: Promise<Ended>;
  stop(): Promise<void>;
}

export interface Ended {
  /** For people, fit for a log. */
  readonly reason: string;
  /** It said why it cannot serve: at the first start nothing is gained by trying again. */
  readonly refusal: Error | null;
}

/** Hears of a part that ended by itself, before it is started again. @param pauseMs `null`: it is not */
export type OnEnd = (end: PartEnd, pauseMs: number | null) => Promise<void>;

/** Keeps one part of `up` running: one that ends by itself is started again, within bounds. */
export class KeptPart {
  readonly #stopping = new AbortController();
  #current: Part | undefined;
  #hasServed = false;
  readonly #kept: Promise<void>;
  readonly #served: Promise<void>;

  constructor(name: string, start: () => Part, onEnd: OnEnd, onServing: () => void) {
    let served = (): void => undefined;
    this.#served = new Promise((resolve) => (served = resolve));
    this.#kept = this.#keep(name, start, onEnd, () => {
      if (this.#hasServed) onServing();
      this.#hasServed = true;
      served();
    });
    // Whoever waits sees it; nobody may be waiting yet.
    this.#kept.catch(() => undefined);
  }

  /** Resolves when it served for the first time. Errors: those of `lost`. */
  serving(): Promise<void> {
    return Promise.race([this.#served, this.lost()]);
  }

  /** Rejects when it is not started again; else open for as long as it is kept. Errors: its own at the first start, `CliError`. */
  lost(): Promise<never> {
    return this.#kept.then(() => new Promise<never>(() => undefined));
  }

  /** From now on it is not started again, whoever ends it: a service manager asks all processes at once. */
  letEnd(): void {
    this.#stopping.abort();
  }

  async stop(): Promise<void> {
    this.letEnd();
    await this.#current?.stop();
    await this.#kept.catch(() => undefined);
  }

  #isEnding(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #keep(name: string, start: () => Part, onEnd: OnEnd, onServing: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const ends: number[] = [];
    for (;;) {
      const part = start();
      this.#current = part;
      void part.serving.then(onServing);
      const { reason, refusal } = await part.ended;
      if (this.#isEnding()) return;
      if (refusal !== null && !this.#hasServed) throw refusal;
      const at = Date.now();
      ends.push(at);
      const pause = pauseBeforeRestart(ends, at);
      await onEnd({ part: name, at, reason, again: pause !== null }, pause);
      if (pause === null) throw lostPart(name, reason);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (this.#isEnding()) return;
    }
  }
}

function lostPart(name: string, reason: string): CliError {
  return new CliError(
    'part_lost',
    EXIT.failed,
    `${name} ended too often and is not started again: ${reason}`,
  );
}
