/** What is open now and what it was allowed by, so that it can be cut when that is gone. */
export class LiveConnections {
  readonly #open = new Set<{ readonly isAllowed: () => boolean; readonly cut: () => void }>();

  /** @returns to be called when it is over */
  add(isAllowed: () => boolean, cut: () => void): () => void {
    const entry = { isAllowed, cut };
    this.#open.add(entry);
    return () => this.#open.delete(entry);
  }

  /** After a change of the configuration. @returns how many were cut */
  cutWhatIsNotAllowed(): number {
    const lost = [...this.#open].filter(({ isAllowed }) => !isAllowed());
    for (const { cut } of lost) cut();
    return lost.length;
  }
}
