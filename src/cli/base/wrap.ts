import { displayWidth, pointWidth } from './output.js';

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
  const pieces: string[] = [];
  let [start, end, width] = [0, 0, 0];
  for (const point of word) {
    const cells = pointWidth(point);
    if (width + cells > columns && end > start) {
      pieces.push(word.slice(start, end));
      start = end;
      width = 0;
    }
    end += point.length;
    width += cells;
  }
  return [...pieces, word.slice(start)];
}
