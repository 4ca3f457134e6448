import type { ForgeUser } from '../../domain/forge/issue.js';
import { inlineText } from '../../domain/text/untrusted-text.js';

/** Logins in lower case whose texts the agent may read; `null`: everybody's. */
export type Readers = ReadonlySet<string> | null;

/** A bottle's `forge_read` within one call: which texts of the forge its agent gets, and which were kept back. */
export class TextGate {
  readonly #readers: Readers;
  readonly #withheld = new Set<string>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  /** Nothing is kept back: nobody's name need be asked for. */
  get isOpen(): boolean {
    return this.#readers === null;
  }

  /** For people: `comment 5 on #12 by mallory`. */
  get withheld(): ReadonlySet<string> {
    return this.#withheld;
  }

  /** Whether the agent gets it. @param what for people, of one call each its own: `comment 5 on #12` */
  admits({ login }: ForgeUser, what: string): boolean {
    if (this.#readers === null || this.#readers.has(login.toLowerCase())) return true;
    this.#withheld.add(`${what} by ${inlineText(login, 100)}`);
    return false;
  }

  /** What the answer says of it. */
  counted(): { readonly withheld?: number } {
    return this.isOpen ? {} : { withheld: this.#withheld.size };
  }
}
