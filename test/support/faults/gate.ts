/** Opens when so many have arrived; whoever comes later passes. */
export class Gate {
  #missing: number;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor(count: number) {
    this.#missing = count;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  arrive(): Promise<void> {
    this.#missing -= 1;
    if (this.#missing <= 0) this.#open();
    return this.#opened;
  }
}
