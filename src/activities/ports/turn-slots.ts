import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** An agent that another worker started ends without telling this one, milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/**
 * How many turns may run on this host. What counts is what the engine runs, whoever started it and whether or not anybody
 * watches it, and beside that what this worker has let in: so turns that a killed worker left waiting go on waiting.
 */
export class TurnSlots {
  private readonly held = new Set<string>();
  private readonly line: object[] = [];
  private news = newsFor();

  /**
   * @param capacity turns at the same time
   * @param running slugs of this host's runs whose agent runs now
   */
  constructor(
    private readonly capacity: number,
    private readonly running: () => Promise<readonly string[]>,
  ) {}

  /** A turn that runs already counts, even beyond the capacity. */
  adopt(slug: string): void {
    this.held.add(slug);
  }

  /**
   * Waits in line for a free slot; at once for a run that has one. Errors: the signal's reason when it is aborted first;
   * the engine's, when it cannot be asked: then the place in the line is given up.
   */
  async acquire(slug: string, signal: AbortSignal): Promise<void> {
    const place = {};
    const onAbort = (): void => {
      this.tell();
    };
    this.line.push(place);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.held.has(slug)) return;
        const news = this.news.signal;
        if (this.line[0] === place && this.held.size < this.capacity) {
          const inUse = new Set(await this.running());
          for (const one of this.held) inUse.add(one);
          inUse.delete(slug);
          if (inUse.size < this.capacity && !signal.aborted) {
            this.held.add(slug);
            return;
          }
        }
        // Whichever ended it, what follows looks again.
        await delay(LOOK_AGAIN_MS, undefined, { signal: news }).catch(() => undefined);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.line.splice(this.line.indexOf(place), 1);
      this.tell();
    }
  }

  release(slug: string): void {
    if (this.held.delete(slug)) this.tell();
  }

  private tell(): void {
    const { news } = this;
    this.news = newsFor();
    news.abort();
  }
}

/** Everybody in the line listens. */
function newsFor(): AbortController {
  const news = new AbortController();
  setMaxListeners(0, news.signal);
  return news;
}
