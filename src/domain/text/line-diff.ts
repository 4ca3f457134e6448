/** What differs between two texts, line by line, for people: as `diff -u` shows it, without its first two lines. */

const CONTEXT = 3;
/** Most pairs of lines that are compared: some milliseconds. Beyond it all of one text is shown, then all of the other. */
const MOST_PAIRS = 1_000_000;
const NO_NEWLINE = '\n\\ No newline at end of file';

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Empty for equal texts; else every line ends with a newline. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  return hunks(compare(linesOf(before), linesOf(after)));
}

/** A last line without a newline is another one than the same with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  return rest === '' ? lines : [...lines, rest + NO_NEWLINE];
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (texts: readonly string[]): Line[] => texts.map((text) => ({ sign: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function changed(a: readonly string[], b: readonly string[]): Line[] {
  const lines: Line[] = [];
  const common = a.length * b.length > MOST_PAIRS ? undefined : commonLengths(a, b);
  const width = b.length + 1;
  const at = (i: number, j: number): number => common?.[i * width + j] ?? 0;
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (common !== undefined && left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: left });
      i += 1;
    } else {
      lines.push({ sign: '+', text: right ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** Length of the longest common subsequence of what is left from line `i` of one and line `j` of the other. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [down, right, both] = [(i + 1) * width + j, i * width + j + 1, (i + 1) * width + j + 1];
      lengths[i * width + j] =
        a[i] === b[j] ? (lengths[both] ?? 0) + 1 : Math.max(lengths[down] ?? 0, lengths[right] ?? 0);
    }
  return lengths;
}

function hunks(lines: readonly Line[]): string {
  const changes = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  let text = '';
  let [before, after, next] = [0, 0, 0];
  for (let at = 0; at < changes.length; at += 1) {
    const from = Math.max(next, (changes[at] ?? 0) - CONTEXT);
    while ((changes[at + 1] ?? Infinity) - (changes[at] ?? 0) <= 2 * CONTEXT + 1) at += 1;
    const to = Math.min(lines.length, (changes[at] ?? 0) + CONTEXT + 1);
    const hunk = lines.slice(from, to);
    before += from - next;
    after += from - next;
    const [removed, added] = [count(hunk, '+'), count(hunk, '-')];
    text += `@@ -${range(before, removed)} +${range(after, added)} @@\n`;
    text += hunk.map((line) => `${line.sign}${line.text}\n`).join('');
    before += removed;
    after += added;
    next = to;
  }
  return text;
}

/** Lines of one of the two texts: all that have not the other's sign. */
function count(hunk: readonly Line[], other: Line['sign']): number {
  return hunk.filter(({ sign }) => sign !== other).length;
}

/** @param skipped lines before it */
function range(skipped: number, lines: number): string {
  const first = lines === 0 ? skipped : skipped + 1;
  return lines === 1 ? String(first) : `${String(first)},${String(lines)}`;
}
