import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';

/** The files of an agent's log are larger than this, in bytes of text: a follower that was given less has skipped none. */
const LEAST_FILE_BYTES = 4 * 1024 * 1024;
/** All files together may be as small as this when an old one goes, in bytes of text that needs little escaping. */
const LEAST_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Whether a follower of a log that goes round (`max-file`) may have missed lines: at the end of one file it goes on in
 * the newest, and an engine as old as 20.10 does not wait for it. The log is read once more after the container has
 * stopped: what the follower was given is not there any more, and then nobody knows, or there is more of it.
 */
export class GapSearch {
  #given = 0;
  #givenBytes = 0;
  #firstGiven: string | undefined;
  #lastGiven: string | undefined;
  #found = 0;
  #foundBytes = 0;
  #firstFound: string | undefined;
  #isOfAll = false;

  /** What the follower was given. */
  given({ at, text }: LogLine): void {
    this.#given += 1;
    this.#givenBytes += text.length;
    this.#firstGiven = earlier(this.#firstGiven, at);
    if (this.#found === 0) this.#lastGiven = at;
  }

  /** Whether the log has to be read from where the follower began; else from the last line that it was given. */
  isOfAll(): boolean {
    return (this.#isOfAll = this.#givenBytes >= LEAST_FILE_BYTES);
  }

  /** What the log has from there on, the line itself included. */
  found({ at, text }: LogLine): void {
    this.#found += 1;
    this.#foundBytes += text.length;
    this.#firstFound = earlier(this.#firstFound, at);
  }

  get mayBeThere(): boolean {
    const from = this.#isOfAll ? this.#firstGiven : this.#lastGiven;
    if (from === undefined) return this.#foundBytes >= LEAST_LOG_BYTES;
    if (this.#firstFound === undefined || this.#firstFound > from) return true;
    return this.#isOfAll && this.#found > this.#given;
  }
}

function earlier(one: string | undefined, other: string): string {
  return one === undefined || other < one ? other : one;
}
