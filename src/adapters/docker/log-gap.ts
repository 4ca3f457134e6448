import type { LogLine } from '../../domain/bottle-runtime.js';

/** The files of an agent's log are larger than this, in bytes of text: a follower that was given less has skipped none. */
const LEAST_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Whether a follower of a log that goes round (`max-file`) may have missed lines: at the end of one file it goes on in
 * the newest, and an engine as old as 20.10 does not wait for it. The log is read once more after the container has
 * stopped: it has more lines than the follower was given, or its first ones are gone, and then nobody knows.
 */
export class GapSearch {
  #given = 0;
  #bytes = 0;
  #found = 0;
  #firstGiven: string | undefined;
  #firstFound: string | undefined;

  /** What the follower was given. */
  given({ at, text }: LogLine): void {
    this.#given += 1;
    this.#bytes += text.length;
    this.#firstGiven = earlier(this.#firstGiven, at);
  }

  /** What the log has. */
  found({ at }: LogLine): void {
    this.#found += 1;
    this.#firstFound = earlier(this.#firstFound, at);
  }

  /** Whether it is worth it to read all of the log once more. */
  get isPossible(): boolean {
    return this.#bytes >= LEAST_FILE_BYTES;
  }

  get mayBeThere(): boolean {
    const [given, found] = [this.#firstGiven, this.#firstFound];
    if (given === undefined) return false;
    return found === undefined || found > given || this.#found > this.#given;
  }
}

function earlier(one: string | undefined, other: string): string {
  return one === undefined || other < one ? other : one;
}
