import { displayWidth } from '../output.js';

/**
 * Lines of at most this many columns, broken at blanks where there are some. Indentation stays at a line's beginning.
 * @param text one line, without control characters
 */
export function wrap(text: string, columns: number): string[] {
  if (displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of text.trimEnd().match(/\s*\S+/g) ?? []) {
    const wordWidth = displayWidth(word);
    if (width + wordWidth <= columns) {
      line += word;
      width += wordWidth;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = cut(width === 0 ? word : word.trimStart(), columns);
    line = pieces.pop() ?? '';
    width = displayWidth(line);
    lines.push(...pieces);
  }
  if (line !== '') lines.push(line);
  return lines;
}

function cut(word: string, columns: number): string[] {
  if (displayWidth(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  for (const point of word) {
    const pointWidth = displayWidth(point);
    if (width + pointWidth > columns && piece !== '') {
      pieces.push(piece);
      piece = '';
      width = 0;
    }
    piece += point;
    width += pointWidth;
  }
  return [...pieces, piece];
}
