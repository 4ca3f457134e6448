/** `config.yaml`: flat names and values, with the line each stands on. */
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Node } from 'yaml';

export interface FileEntry {
  readonly name: string;
  /** The value as the environment would give it; lists joined with commas. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export interface FileProblem {
  readonly line: number;
  readonly message: string;
}

/** Reads the text of a configuration file. Problems carry no values: one of them may be a secret in the wrong place. */
export function readConfigText(text: string): {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly FileProblem[];
} {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line;
  const syntax = [...document.errors, ...document.warnings];
  if (syntax.length > 0) {
    return {
      entries: [],
      problems: syntax.map((error) => ({ line: lineAt(error.pos[0]), message: explain(error.code) })),
    };
  }
  const top = document.contents;
  if (top === null || (isScalar(top) && top.value === null)) return { entries: [], problems: [] };
  if (!isMap<Node, Node | null>(top)) {
    return {
      entries: [],
      problems: [{ line: lineAt(top.range[0]), message: 'expected lines like FORGE_ORG: name' }],
    };
  }
  const entries: FileEntry[] = [];
  const problems: FileProblem[] = [];
  for (const { key, value } of top.items) {
    const line = lineAt(key.range[0]);
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
    const asText = textOf(value);
    if (name === undefined) problems.push({ line, message: 'a name must be plain text' });
    else if (asText === undefined)
      problems.push({ line, message: `${quoted(name)} needs a value or a list of values` });
    else entries.push({ name, text: asText, line });
  }
  return { entries, problems };
}

function explain(code: string): string {
  return code === 'DUPLICATE_KEY'
    ? 'the same name twice'
    : `not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
}

function textOf(value: Node | null): string | undefined {
  if (value === null || isAlias(value)) return undefined;
  if (isScalar(value)) return plain(value.value);
  if (!isSeq<Node>(value)) return undefined;
  const items = value.items.map((item) => (isScalar(item) ? plain(item.value) : undefined));
  return items.every((item) => item !== undefined) && items.length > 0 ? items.join(',') : undefined;
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A name as it may stand in a message: what an operator mistyped, but no novel and no control character. */
export function quoted(name: string): string {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name)
    ? name
    : JSON.stringify(name.slice(0, 64).replace(/[^ -~]/g, '?'));
}
