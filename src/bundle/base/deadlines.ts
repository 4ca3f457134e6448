import type { Duplex } from 'node:stream';

/** For each connection the time at which it is cut. One that is closed keeps no timer. */
export class Deadlines {
  readonly #timers = new WeakMap<Duplex, NodeJS.Timeout>();

  /** In place of the one before. @param ms from now */
  set(connection: Duplex, ms: number): void {
    if (this.#timers.has(connection)) this.clear(connection);
    else connection.once('close', () => this.clear(connection));
    this.#timers.set(
      connection,
      setTimeout(() => connection.destroy(), ms),
    );
  }

  clear(connection: Duplex): void {
    clearTimeout(this.#timers.get(connection));
  }
}
