import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';

/** All files together may be as small as this when an old one goes, in bytes of text that needs little escaping. */
const LEAST_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Whether a follower of a log that goes round (`max-file`) may have missed lines: at the end of one file it goes on in
 * the newest, and an engine as old as 20.10 does not wait for it. So all of the log is read once more after the container
 * has stopped: what the follower was given first is not there any more, and then nobody knows, or there are more lines.
 */
export class GapSearch {
  #given = 0;
  #firstGiven: string | undefined;
  #found = 0;
  #foundBytes = 0;
  #firstFound: string | undefined;

  /** What the follower was given. */
  given({ at }: LogLine): void {
    this.#given += 1;
    this.#firstGiven = earlier(this.#firstGiven, at);
  }

  /** What the log has. */
  found({ at, text }: LogLine): void {
    this.#found += 1;
    this.#foundBytes += text.length;
    this.#firstFound = earlier(this.#firstFound, at);
  }

  get mayBeThere(): boolean {
    if (this.#firstGiven === undefined) return this.#foundBytes >= LEAST_LOG_BYTES;
    const isBeginningGone = this.#firstFound === undefined || this.#firstFound > this.#firstGiven;
    return isBeginningGone || this.#found > this.#given;
  }
}

function earlier(one: string | undefined, other: string): string {
  return one === undefined || other < one ? other : one;
}
