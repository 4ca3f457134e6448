import { secretForms } from './secret-forms.js';

/** A secret of the orchestrator's own. */
export interface KnownSecret {
  /** As the operator calls it: the name of its file. */
  readonly name: string;
  readonly value: string;
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];

/**
 * Finds any of some secrets, in any of their forms, in one pass over bytes (Aho and Corasick 1975). White space is
 * skipped, so a secret that is split over lines, as `base64` does, is found too.
 */
export class SecretSearch {
  /** Successor of each state for each byte. */
  readonly #next: Int32Array;
  /** Index of a secret that has been seen whole in this state, else -1. */
  readonly #found: Int32Array;
  readonly #names: readonly string[];

  constructor(secrets: readonly KnownSecret[]) {
    this.#names = secrets.map(({ name }) => name);
    const forms = secrets.flatMap(({ value }, index) => secretForms(value).map((form) => ({ form, index })));
    const states = 1 + forms.reduce((sum, { form }) => sum + form.length, 0);
    this.#next = new Int32Array(states * 256);
    this.#found = new Int32Array(states).fill(-1);
    const used = this.#plant(forms);
    this.#link(used);
  }

  /** Names of the secrets in there, each once. */
  namesIn(bytes: Uint8Array): string[] {
    const pass = this.begin();
    pass.push(bytes);
    return pass.names;
  }

  /** For bytes that come in pieces. */
  begin(): { push(bytes: Uint8Array): void; readonly names: string[] } {
    const next = this.#next;
    const found = this.#found;
    const names = this.#names;
    const seen = new Set<number>();
    let state = 0;
    return {
      push: (bytes) => {
        for (const byte of bytes) {
          if (byte <= SPACE && isWhiteSpace(byte)) continue;
          state = next[state * 256 + byte] ?? 0;
          const secret = found[state] ?? -1;
          if (secret >= 0) seen.add(secret);
        }
      },
      get names() {
        return [...seen].map((index) => names[index] ?? '');
      },
    };
  }

  /** The forms as a tree. Answers how many states it has. */
  #plant(forms: readonly { readonly form: string; readonly index: number }[]): number {
    let used = 1;
    for (const { form, index } of forms) {
      let state = 0;
      for (let at = 0; at < form.length; at += 1) {
        const edge = state * 256 + form.charCodeAt(at);
        if (this.#next[edge] === 0) {
          this.#next[edge] = used;
          used += 1;
        }
        state = this.#next[edge] ?? 0;
      }
      this.#found[state] = index;
    }
    return used;
  }

  /** Breadth first: a state that can't go on goes where the longest end of what it has seen would be. */
  #link(used: number): void {
    const fallback = new Int32Array(used);
    const queue: number[] = [0];
    // It grows while it is walked.
    for (const state of queue) {
      const back = fallback[state] ?? 0;
      if (this.#found[state] === -1) this.#found[state] = this.#found[back] ?? -1;
      for (let byte = 0; byte < 256; byte += 1) {
        const edge = state * 256 + byte;
        const target = this.#next[edge] ?? 0;
        const instead = state === 0 ? 0 : (this.#next[back * 256 + byte] ?? 0);
        if (target === 0) {
          this.#next[edge] = instead;
        } else {
          fallback[target] = instead;
          queue.push(target);
        }
      }
    }
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}
