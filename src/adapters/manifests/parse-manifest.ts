import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import type {
  ManifestDocument,
  ManifestEntry,
  ManifestNode,
  ManifestProblem,
} from '../../domain/manifest/manifest-document.js';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';
import { isNestedTooDeeply } from './yaml-nesting.js';

/** Deeper than any manifest. */
const MAX_DEPTH = 8;
/** A bottle's setup and what is around it, in characters. The parser takes long over much of what is no YAML. */
const MAX_FRONT_MATTER = 32 * 1024;

/**
 * Markdown with YAML front matter between two `---` lines; the rest is the body.
 * Errors: `ManifestError` with file and line, also for YAML that a manifest has no use for (aliases, tags).
 */
export function parseManifest(
  file: string,
  name: string,
  text: string,
  maxFrontMatter = MAX_FRONT_MATTER,
): ManifestDocument {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---')
    throw new ManifestError(file, [{ line: 1, message: 'must begin with a line "---"' }]);
  if (end === -1)
    throw new ManifestError(file, [{ line: 1, message: 'the front matter has no closing line "---"' }]);
  const frontMatter = lines.slice(1, end).join('\n');
  if (frontMatter.length > maxFrontMatter) {
    const message = `the front matter is longer than ${String(maxFrontMatter)} characters`;
    throw new ManifestError(file, [{ line: 1, message }]);
  }
  const counter = new LineCounter();
  const document = yamlOf(file, frontMatter, counter);
  // The front matter begins on the file's second line, and what is missing at its end is missed where it closes.
  const lineOf = (offset: number | undefined): number => Math.min(counter.linePos(offset ?? 0).line, end) + 1;
  const problems: ManifestProblem[] = [...document.errors, ...document.warnings].map(
    ({ pos: [start], message }) => ({
      line: lineOf(start),
      message: (message.split('\n')[0] ?? message).slice(0, 200),
    }),
  );
  const entries =
    problems.length > 0 || document.contents === null
      ? []
      : entriesOf(document.contents, lineOf, problems, 0);
  if (problems.length > 0) throw new ManifestError(file, problems);
  return {
    file,
    name,
    entries,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function yamlOf(file: string, text: string, lineCounter: LineCounter): Document.Parsed {
  if (isNestedTooDeeply(text)) throw new ManifestError(file, [{ line: 2, message: 'is nested too deeply' }]);
  try {
    return parseDocument(text, { lineCounter, uniqueKeys: true, strict: true, prettyErrors: false });
  } catch (cause) {
    throw new ManifestError(file, [{ line: 2, message: 'cannot be read as YAML' }], { cause });
  }
}

function entriesOf(
  node: unknown,
  lineOf: (offset: number | undefined) => number,
  problems: ManifestProblem[],
  depth: number,
): ManifestEntry[] {
  if (!isMap(node)) {
    problems.push({ line: 2, message: 'the front matter must be a map' });
    return [];
  }
  return node.items.flatMap(({ key, value }): ManifestEntry[] => {
    const line = isScalar(key) ? lineOf(key.range?.[0]) : lineOf(node.range?.[0]);
    if (!isScalar(key) || typeof key.value !== 'string') {
      problems.push({ line, message: 'a key must be a text' });
      return [];
    }
    return [{ key: key.value, line, value: nodeOf(value, line, lineOf, problems, depth + 1) }];
  });
}

function nodeOf(
  node: unknown,
  keyLine: number,
  lineOf: (offset: number | undefined) => number,
  problems: ManifestProblem[],
  depth: number,
): ManifestNode {
  const nothing: ManifestNode = { kind: 'scalar', value: null, text: '', line: keyLine };
  if (node === null) return nothing;
  const line =
    isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? lineOf(node.range?.[0]) : keyLine;
  const refuse = (message: string): ManifestNode => {
    problems.push({ line, message });
    return nothing;
  };
  if (depth > MAX_DEPTH) return refuse('too deep');
  if (isAlias(node)) return refuse('aliases are not supported');
  if ((isScalar(node) || isMap(node) || isSeq(node)) && node.tag !== undefined)
    return refuse(`tags are not supported: ${node.tag}`);
  if (isMap(node)) return { kind: 'map', entries: entriesOf(node, lineOf, problems, depth), line };
  if (isSeq(node))
    return {
      kind: 'list',
      items: node.items.map((item) => nodeOf(item, line, lineOf, problems, depth + 1)),
      line,
    };
  if (!isScalar(node)) return refuse('not a value');
  const { value } = node;
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    const text = typeof value === 'string' ? value : (node.source ?? String(value));
    return { kind: 'scalar', value, text, line };
  }
  return refuse('not a value');
}
