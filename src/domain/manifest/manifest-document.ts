/** A manifest's front matter with the lines its parts stand on, whatever parser read it. Lines count from 1. */
export type ManifestNode =
  | {
      readonly kind: 'scalar';
      readonly value: string | number | boolean | null;
      /** As it was written, without quotes: `3.10` is a number whose text is not `3.1`. */
      readonly text: string;
      readonly line: number;
    }
  | { readonly kind: 'list'; readonly items: readonly ManifestNode[]; readonly line: number }
  | { readonly kind: 'map'; readonly entries: readonly ManifestEntry[]; readonly line: number };

export interface ManifestEntry {
  readonly key: string;
  readonly line: number;
  readonly value: ManifestNode;
}

export interface ManifestDocument {
  /** File name for messages. */
  readonly file: string;
  /** The key: the file's name without `.md`. */
  readonly name: string;
  readonly entries: readonly ManifestEntry[];
  readonly body: string;
}

export interface ManifestProblem {
  readonly line: number;
  readonly message: string;
}

/** Where a key stands, such as `['publish', 'base']`; `undefined` when the document does not have it. */
export function lineOfKey(document: ManifestDocument, path: readonly string[]): number | undefined {
  let entries = document.entries;
  let line: number | undefined;
  for (const key of path) {
    const entry = entries.find((one) => one.key === key);
    line = entry?.line;
    entries = entry?.value.kind === 'map' ? entry.value.entries : [];
  }
  return line;
}
