/** Works of one run one after another, in the order of the calls; runs do not wait for each other. */
export class PerRun {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Errors: the work's own; those of the one before are none of its. */
  async next<T>(slug: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(slug) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(slug, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(slug) === mine) this.#last.delete(slug);
    }
  }
}
