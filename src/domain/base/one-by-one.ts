/** Works on one thing, by its name, one after another in the order of the calls; other things do not wait for it. */
export class OneByOne {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Errors: the work's own; those of the one before are none of its. */
  async next<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
