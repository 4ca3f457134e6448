import { InvalidInputError } from './errors.js';
import type { ManifestDocument, ManifestEntry, ManifestNode, ManifestProblem } from './manifest-document.js';

/** A manifest that cannot be used; the message has every problem as `file:line: what`. */
export class ManifestError extends InvalidInputError {
  constructor(
    readonly file: string,
    readonly problems: readonly ManifestProblem[],
  ) {
    super(problems.map(({ line, message }) => `${file}:${String(line)}: ${message}`).join('\n'));
  }
}

/** Says what is wrong with a value, or `undefined`. */
export type Check<T> = (value: T) => string | undefined;

/**
 * Takes known keys out of a map and collects what is wrong, so that one reading reports everything. What was not taken
 * in the end is unknown, or known to the specification and not to this version.
 */
export class ManifestReader {
  readonly #taken = new Set<string>();

  private constructor(
    private readonly where: string,
    private readonly entries: readonly ManifestEntry[],
    private readonly problems: ManifestProblem[],
  ) {}

  /** Runs `read` over the document. Errors: `ManifestError` with everything that was wrong. */
  static read<T>(
    document: ManifestDocument,
    later: ReadonlySet<string>,
    read: (reader: ManifestReader) => T,
  ): T {
    const problems: ManifestProblem[] = [];
    const reader = new ManifestReader('', document.entries, problems);
    const result = read(reader);
    reader.#refuseRest(later);
    if (problems.length === 0) return result;
    throw new ManifestError(
      document.file,
      problems.sort((a, b) => a.line - b.line),
    );
  }

  text(key: string, check: Check<string>): string | undefined {
    return this.#scalar(key, 'text', (value): value is string => typeof value === 'string', check);
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

  /** One text or a list of them. */
  texts(key: string, check: Check<string>): readonly string[] | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    const items = node.kind === 'list' ? node.items : [node];
    return items.flatMap((item) => {
      if (item.kind === 'scalar' && typeof item.value === 'string')
        return this.#checked(key, item.value, item.line, check);
      this.#problem(item.line, `"${this.where}${key}" must be a list of texts`);
      return [];
    });
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
        this.#problem(line, `"${this.where}${key}.${name}" must be a text`);
        return [];
      }
      const text = String(value.value);
      return this.#checked(`${key}.${name}`, text, line, (given) => check(name, given)).map((good) => [
        name,
        good,
      ]);
    });
    return Object.fromEntries(found);
  }

  /** A map with keys of ours. */
  section<T>(key: string, later: ReadonlySet<string>, read: (reader: ManifestReader) => T): T | undefined {
    const entries = this.#map(key);
    if (entries === undefined) return undefined;
    const reader = new ManifestReader(`${this.where}${key}.`, entries, this.problems);
    const result = read(reader);
    reader.#refuseRest(later);
    return result;
  }

  /** For what is missing: the first line of the front matter. */
  missing(key: string): void {
    this.#problem(this.entries[0]?.line ?? 1, `"${this.where}${key}" is missing`);
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
    this.#problem(node.line, `"${this.where}${key}" must be ${what}`);
    return undefined;
  }

  #checked<T>(key: string, value: T, line: number, check: Check<T>): T[] {
    const wrong = check(value);
    if (wrong === undefined) return [value];
    this.#problem(line, `"${this.where}${key}" ${wrong}`);
    return [];
  }

  #map(key: string): readonly ManifestEntry[] | undefined {
    const node = this.#take(key);
    if (node === undefined) return undefined;
    if (node.kind === 'map') return node.entries;
    this.#problem(node.line, `"${this.where}${key}" must be a map`);
    return undefined;
  }

  #take(key: string): ManifestNode | undefined {
    this.#taken.add(key);
    return this.entries.find((entry) => entry.key === key)?.value;
  }

  #refuseRest(later: ReadonlySet<string>): void {
    for (const { key, line } of this.entries) {
      if (this.#taken.has(key)) continue;
      const known = [...this.#taken].sort().join(', ');
      this.#problem(
        line,
        later.has(key)
          ? `"${this.where}${key}" is not supported by this version`
          : `unknown key "${this.where}${key}"; known here: ${known}`,
      );
    }
  }

  #problem(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}
