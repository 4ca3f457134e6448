/** What used up so much of it is told at once. */
const STEPS = 16;

/** How many bytes may still go up through the forward proxy in this process's life: what an agent can carry away is bounded. */
export class UploadBudget {
  #left: number;
  #untold = 0;

  /** @param onStep told each time when another sixteenth is used: a process that comes after this one gets the rest */
  constructor(
    readonly bytes: number,
    private readonly onStep: () => void,
  ) {
    this.#left = bytes;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** @returns whether these bytes may go; once they may not, nothing may */
  take(bytes: number): boolean {
    this.#left -= bytes;
    this.#untold += bytes;
    if (this.#untold >= this.bytes / STEPS) {
      this.#untold = 0;
      this.onStep();
    }
    return this.#left >= 0;
  }
}
