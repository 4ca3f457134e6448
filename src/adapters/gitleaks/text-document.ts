import type { NamedText } from '../../domain/secret/secret-scanner.js';

/**
 * gitleaks reads standard input in pieces of 100 kB and looks at each by itself. It cuts between two lines when it finds
 * an empty line within the next 25 kB, so no text may be longer than that: a longer one is given in windows that overlap
 * by more than a secret's length. A UTF-16 unit is three bytes of UTF-8 at most.
 */
const WINDOW = 8 * 1024;
const STEP = 2 * 1024;

export interface TextDocument {
  readonly content: string;
  /** Index of the text and its own line, both for a line of the document (from 1); `undefined` between texts. */
  placeOf(line: number): { readonly text: number; readonly line: number } | undefined;
}

/** All texts as one document. Its first line is ours, so that the beginning is never taken for a binary file's. */
export function textDocument(texts: readonly NamedText[], lastLine: string): TextDocument {
  const lines: string[] = ['texts', ''];
  const places: ({ readonly text: number; readonly line: number } | undefined)[] = [undefined, undefined];
  texts.forEach(({ text }, index) => {
    for (const { line, part } of windows(text)) {
      part.split('\n').forEach((content, offset) => {
        lines.push(content);
        places.push({ text: index, line: line + offset });
      });
      lines.push('', '');
      places.push(undefined, undefined);
    }
  });
  return { content: [...lines, lastLine, ''].join('\n'), placeOf: (line) => places[line - 1] };
}

function* windows(text: string): Generator<{ readonly line: number; readonly part: string }> {
  let line = 1;
  for (let start = 0; start === 0 || start + WINDOW - STEP < text.length; start += STEP) {
    yield { line, part: text.slice(start, start + WINDOW) };
    line += text.slice(start, start + STEP).split('\n').length - 1;
  }
}
