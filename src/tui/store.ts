import type { State } from './model/state.js';

/** The state, and who wants to know when it changes. */
export class Store {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  readonly state = (): State => this.#state;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  /** @param change of the state as it is now */
  update(change: (state: State) => State): void {
    const next = change(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const changed of this.#listeners) changed();
  }
}
