/**
 * How many turns may run on this host. The queue of waiting turns is Temporal's; this counts what really runs, which
 * includes turns adopted after a restart, so that a live turn never queues and launches never overcommit.
 */
export class TurnSlots {
  private readonly held = new Set<string>();
  private readonly waiting: { readonly slug: string; readonly wake: () => void }[] = [];

  constructor(readonly capacity: number) {}

  get inUse(): number {
    return this.held.size;
  }

  /** A turn that runs already counts, even beyond the capacity. */
  adopt(slug: string): void {
    this.held.add(slug);
  }

  /** Waits for a free slot. Rejects with the signal's reason when it is aborted first. */
  async acquire(slug: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.held.has(slug) || this.held.size < this.capacity) {
      this.held.add(slug);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const entry = {
        slug,
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(entry);
    });
  }

  release(slug: string): void {
    if (!this.held.delete(slug)) return;
    while (this.held.size < this.capacity) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.held.add(next.slug);
      next.wake();
    }
  }
}
