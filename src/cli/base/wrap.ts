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
    const pieces = broken(width === 0 ? word : word.trimStart(), columns);
    line = pieces.pop() ?? '';
    width = displayWidth(line);
    lines.push(...pieces);
  }
  if (line !== '') lines.push(line);
  return lines;
}

/**
 * Broken where the columns end and nowhere else: a blank counts, and every piece begins with the same mark, such as `  +`.
 * @param text without control characters
 */
export function broken(text: string, columns: number, mark = ''): string[] {
  const pieces: string[] = [];
  let [start, end, width] = [0, 0, mark.length];
  for (const point of text) {
    const cells = pointWidth(point);
    if (width + cells > columns && end > start) {
      pieces.push(mark + text.slice(start, end));
      start = end;
      width = mark.length;
    }
    end += point.length;
    width += cells;
  }
  return [...pieces, mark + text.slice(start)];
}
