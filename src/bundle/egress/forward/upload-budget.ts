/** How many bytes may still go up through the forward proxy in this process's life: what an agent can carry away is bounded. */
export class UploadBudget {
  #left: number;

  constructor(readonly bytes: number) {
    this.#left = bytes;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** @returns whether these bytes may go; once they may not, nothing may */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }
}
