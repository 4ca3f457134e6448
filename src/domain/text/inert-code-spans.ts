/** A piece of a line; `code`: between two runs of backticks, those included. */
export interface LinePart {
  readonly code: boolean;
  readonly text: string;
}

const ADDRESS = /:\/|www\.|@/i;

/**
 * First what a parser takes in one piece, in its simple form that holds no backtick. Then, group by group: the same things
 * otherwise, mathematics and an escaped backtick, in all of which a backtick may begin nothing; what a forge may link by
 * itself, up to the next white space, backticks included; backticks; white space.
 */
const TOKEN = new RegExp(
  [
    '(\\]\\([^\\s()<>\\[\\]`"\'\\\\]*(?: "[^"\\\\`<>&@#!\\[\\]]*")?\\)|\\]\\[[^\\]\\[\\\\`<>]*\\]|\\[\\^[\\w-]+\\])',
    '(\\](?=[(\\[:])|\\[\\^|\\$|\\\\`)',
    `(${ADDRESS.source})`,
    '(`+)',
    '(\\s+)',
  ].join('|'),
  'gi',
);

/** Without any of these a line is text, and what follows it is not in doubt. */
export function mayHoldCode(line: string): boolean {
  return /[`$\]]|\[\^/.test(line);
}

/**
 * The parts of a line, and whether what follows it is in doubt: it has a run of backticks without its other half, or
 * something in which a parser may see none. From there on nothing counts as code.
 * @param inTable a `|` ends a cell there, in code too
 */
export function codeParts(line: string, inTable: boolean): { parts: LinePart[]; doubtful: boolean } {
  const parts: LinePart[] = [];
  let told = 0;
  let inAddress = false;
  let doubtful = false;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(line); match !== null; match = TOKEN.exec(line)) {
    const [, read, doubt, address, run, space] = match;
    if (address !== undefined || (read !== undefined && ADDRESS.test(read))) inAddress = true;
    else if (space !== undefined) inAddress = false;
    const end = run === undefined ? undefined : endOfSpan(line, TOKEN.lastIndex, run.length);
    const code = line.slice(match.index, end ?? match.index);
    doubtful =
      doubt !== undefined ||
      (run !== undefined && (end === undefined || inAddress || (inTable && code.includes('|'))));
    if (doubtful) break;
    if (end === undefined) continue;
    parts.push({ code: false, text: line.slice(told, match.index) }, { code: true, text: code });
    told = end;
    TOKEN.lastIndex = end;
  }
  parts.push({ code: false, text: line.slice(told) });
  return { parts, doubtful };
}

const RUNS = /`+/g;

/** Index behind the next run of exactly so many backticks. */
function endOfSpan(line: string, from: number, length: number): number | undefined {
  RUNS.lastIndex = from;
  for (let match = RUNS.exec(line); match !== null; match = RUNS.exec(line)) {
    if (match[0].length === length) return RUNS.lastIndex;
  }
  return undefined;
}
