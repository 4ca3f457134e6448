/** As Stryker's report has it, as far as it counts here. Lines and columns from 1. */
export interface TriedChange {
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly replacement: string;
  readonly status: string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);
const MAX_SHOWN = 100;

/**
 * What nothing noticed, a line a change, then the score of each folder and of all: the share of what was noticed.
 * @param sourceOf text of a file by the name that the changes have
 */
export function outcomeLines(
  changes: readonly TriedChange[],
  sourceOf: (file: string) => string,
): readonly string[] {
  const survivors = changes.filter(({ status }) => UNNOTICED.has(status)).sort(byPlace);
  const folderOf = ({ fileName }: TriedChange): string => fileName.slice(0, fileName.lastIndexOf('/'));
  const folders = [...new Set(changes.map(folderOf))].sort();
  return [
    ...survivors.map((change) => survivorLine(change, sourceOf(change.fileName))),
    ...folders.map((folder) =>
      scoreLine(
        folder,
        changes.filter((change) => folderOf(change) === folder),
      ),
    ),
    scoreLine('in all', changes),
  ];
}

function survivorLine({ fileName, location, replacement, status }: TriedChange, source: string): string {
  const { start, end } = location;
  const why = status === 'NoCoverage' ? 'unreached' : 'survived ';
  const place = `${fileName}:${String(start.line)}:${String(start.column)}`;
  return `${why} ${place}  ${short(between(source, start, end))}  ->  ${short(replacement)}`;
}

function scoreLine(what: string, changes: readonly TriedChange[]): string {
  const noticed = changes.filter(({ status }) => NOTICED.has(status)).length;
  const missed = changes.filter(({ status }) => UNNOTICED.has(status)).length;
  const score =
    noticed + missed === 0 ? 'nothing to change' : `${((100 * noticed) / (noticed + missed)).toFixed(1)} %`;
  return `${what}: ${score} (${String(noticed)} noticed, ${String(missed)} not)`;
}

function between(source: string, start: Position, end: Position): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
    .join(' ');
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

function byPlace(a: TriedChange, b: TriedChange): number {
  if (a.fileName !== b.fileName) return a.fileName < b.fileName ? -1 : 1;
  return a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column;
}
