import { formatDuration, parseDuration } from '../base/duration.js';
import { InvalidInputError } from '../base/errors.js';
import type { ManifestDocument, ManifestEntry, ManifestNode, ManifestProblem } from './manifest-document.js';

/** More than this of a broken file helps nobody. */
const MAX_TOLD = 50;
/** Of a text that is quoted in a message: it may be anybody's. */
const MAX_QUOTED = 80;

/** A manifest that cannot be used; the message has every problem as `file:line: what`, the first fifty of them. */
export class ManifestError extends InvalidInputError {
  constructor(
    readonly file: string,
    readonly problems: readonly ManifestProblem[],
    options?: { cause?: unknown },
  ) {
    const told = problems
      .slice(0, MAX_TOLD)
      .map(({ line, message }) => `${file}:${String(line)}: ${message}`);
    const more = problems.length - told.length;
    super([...told, ...(more > 0 ? [`${file}: ${String(more)} more`] : [])].join('\n'), options);
  }
}

/** Says what is wrong with a value, or `undefined`. */
export type Check<T> = (value: T) => string | undefined;

/**
 * Takes known keys out of a map and collects what is wrong, so that one reading reports everything. What was not taken
 * in the end is unknown.
 */
export class ManifestReader {
  readonly #taken = new Set<string>();

  private constructor(
    private readonly where: string,
    private readonly line: number,
    private readonly entries: readonly ManifestEntry[],
    private readonly problems: ManifestProblem[],
  ) {}

  /** Runs `read` over the document. Errors: `ManifestError` with everything that was wrong. */
  static read<T>(document: ManifestDocument, read: (reader: ManifestReader) => T): T {
    const problems: ManifestProblem[] = [];
    const reader = new ManifestReader('', document.entries[0]?.line ?? 1, document.entries, problems);
    const result = read(reader);
    reader.#refuseRest();
    if (problems.length === 0) return result;
    throw new ManifestError(
      document.file,
      problems.sort((a, b) => a.line - b.line),
    );
  }

  text(key: string, check: Check<string>): string | undefined {
    return this.#scalar(key, 'text', (value): value is string => typeof value === 'string', check);
  }

  /** A text that must be there; empty when it is not, which the reading then reports. */
  required(key: string, check: Check<string>): string {
    if (!this.has(key)) this.missing(key);
    return this.text(key, check) ?? '';
  }

  number(key: string, check: Check<number>): number | undefined {
    return this.#scalar(key, 'a number', (value): value is number => typeof value === 'number', check);
  }

  flag(key: string): boolean | undefined {
    return this.#scalar(
      key,
      'true or false',
      (value): value is boolean => typeof value === 'boolean',
      () => undefined,
    );
  }

  /** One of a few words. */
  word<const T extends string>(key: string, words: readonly T[]): T | undefined {
    const given = this.text(key, oneOf(words));
    return words.find((word) => word === given);
  }

  /** `45m`, in milliseconds. */
  duration(key: string, leastMs: number, mostMs: number): number | undefined {
    const given = this.text(key, durationBetween(leastMs, mostMs));
    return given === undefined ? undefined : parseDuration(given);
  }

  /** One text or a list of them. */
  texts(key: string, check: Check<string>): readonly string[] | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    const items = node.kind === 'list' ? node.items : [node];
    return items.flatMap((item) => {
      if (item.kind === 'scalar' && typeof item.value === 'string')
        return this.#checked(key, item.value, item.line, check);
      this.#problem(item.line, `${this.#name(key)} must be a list of texts`);
      return [];
    });
  }

  /** How many items the list has; `undefined` where there is no list. */
  itemsOf(key: string): number | undefined {
    const node = this.entries.find((entry) => entry.key === key)?.value;
    return node?.kind === 'list' ? node.items.length : undefined;
  }

  /** One of a few words, or a list of them. */
  words<const T extends string>(key: string, words: readonly T[]): readonly T[] | undefined {
    return this.texts(key, oneOf(words))?.flatMap((given) => words.filter((word) => word === given));
  }

  /** A map of texts whose keys are the writer's own. */
  textMap(
    key: string,
    check: (entryKey: string, value: string) => string | undefined,
  ): Readonly<Record<string, string>> | undefined {
    const entries = this.#map(key);
    if (entries === undefined) return undefined;
    const found = entries.flatMap(({ key: name, line, value }): [string, string][] => {
      if (value.kind !== 'scalar' || value.value === null) {
        this.#problem(line, `${this.#name(`${key}.${name}`)} must be a text`);
        return [];
      }
      return this.#checked(`${key}.${name}`, value.text, line, (given) => check(name, given)).map((good) => [
        name,
        good,
      ]);
    });
    return Object.fromEntries(found);
  }

  /** A map with keys of ours. */
  section<T>(key: string, read: (reader: ManifestReader) => T): T | undefined {
    const line = this.lineOf(key);
    const entries = this.#map(key);
    return entries === undefined ? undefined : this.#inner(`${key}.`, line, entries, read);
  }

  /** A list of maps with keys of ours. */
  sections<T>(key: string, read: (reader: ManifestReader) => T): readonly T[] | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    const items = node.kind === 'list' ? node.items : [];
    if (node.kind !== 'list') this.#problem(node.line, `${this.#name(key)} must be a list of maps`);
    return items.flatMap((item, index) => {
      const name = `${key}[${String(index)}]`;
      if (item.kind === 'map') return [this.#inner(`${name}.`, item.line, item.entries, read)];
      this.#problem(item.line, `${this.#name(name)} must be a map`);
      return [];
    });
  }

  has(key: string): boolean {
    return this.entries.some((entry) => entry.key === key);
  }

  /** Of the key, if it is there; else of the map it would be in. */
  lineOf(key: string): number {
    return this.entries.find((entry) => entry.key === key)?.line ?? this.line;
  }

  missing(key: string): void {
    this.wrong(key, 'is missing');
  }

  /** What no check of a single value sees. */
  wrong(key: string, what: string): void {
    this.#taken.add(key);
    this.#problem(this.lineOf(key), `${this.#name(key)} ${what}`);
  }

  #inner<T>(
    where: string,
    line: number,
    entries: readonly ManifestEntry[],
    read: (reader: ManifestReader) => T,
  ): T {
    const reader = new ManifestReader(this.where + where, line, entries, this.problems);
    const result = read(reader);
    reader.#refuseRest();
    return result;
  }

  #scalar<T extends string | number | boolean>(
    key: string,
    what: string,
    is: (value: unknown) => value is T,
    check: Check<T>,
  ): T | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    if (node.kind === 'scalar' && is(node.value)) return this.#checked(key, node.value, node.line, check)[0];
    this.#problem(node.line, `${this.#name(key)} must be ${what}`);
    return undefined;
  }

  #checked<T>(key: string, value: T, line: number, check: Check<T>): T[] {
    const wrong = check(value);
    if (wrong === undefined) return [value];
    this.#problem(line, `${this.#name(key)} ${wrong}`);
    return [];
  }

  #map(key: string): readonly ManifestEntry[] | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    if (node.kind === 'map') return node.entries;
    this.#problem(node.line, `${this.#name(key)} must be a map`);
    return undefined;
  }

  #take(key: string): ManifestNode | undefined {
    this.#taken.add(key);
    return this.entries.find((entry) => entry.key === key)?.value;
  }

  #refuseRest(): void {
    const known = [...this.#taken].sort().join(', ');
    for (const { key, line } of this.entries) {
      if (!this.#taken.has(key)) this.#problem(line, `unknown key ${this.#name(key)}; known here: ${known}`);
    }
  }

  #name(key: string): string {
    return quoted(this.where + key);
  }

  #problem(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}

/** For a message: one line, not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

function oneOf(words: readonly string[]): Check<string> {
  return (value) => (words.includes(value) ? undefined : `must be one of ${words.join(', ')}`);
}

function durationBetween(leastMs: number, mostMs: number): Check<string> {
  return (value) => {
    try {
      const ms = parseDuration(value);
      if (ms >= leastMs && ms <= mostMs) return undefined;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
    }
    return `must be a duration from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}, such as 45m`;
  };
}
