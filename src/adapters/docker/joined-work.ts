import { abortError } from './errors.js';

interface Work<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/** Does the same thing once for all who ask for it at the same time; it is aborted when all of them have left. */
export class JoinedWork<T> {
  readonly #running = new Map<string, Work<T>>();

  /** @param doing for the error of a caller whose signal aborts, as in "building the image" */
  async join(
    key: string,
    doing: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal.aborted) throw abortError(signal, doing);
    const work = this.#running.get(key) ?? this.#begin(key, start);
    work.waiting += 1;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(abortError(signal, doing));
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([work.result, left]);
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave);
      work.waiting -= 1;
      if (work.waiting === 0) {
        // Whoever comes now begins anew: this one is ending.
        if (this.#running.get(key) === work) this.#running.delete(key);
        work.abort.abort();
      }
    }
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const abort = new AbortController();
    const work = { result: start(abort.signal), abort, waiting: 0 };
    // Nobody may be waiting any more when it fails.
    work.result.catch(() => undefined);
    this.#running.set(key, work);
    return work;
  }
}
