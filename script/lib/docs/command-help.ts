/** What the program says of itself, by `--help`: read from its text, which is all that a user sees too. */

export interface HelpEntry {
  /** As shown: `--turn <n>`, `-f, --follow`, `<run>`, `status [options]`. */
  readonly term: string;
  readonly text: string;
}

export interface CommandHelp {
  /** The words that lead to it; none for the program itself. */
  readonly path: readonly string[];
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly HelpEntry[];
  /** Without `--help`, which every command has. */
  readonly options: readonly HelpEntry[];
  readonly commands: readonly HelpEntry[];
  /** Paragraphs that stand after all of it. */
  readonly notes: readonly string[];
}

/** Runs the program and gives what it wrote to standard output. */
export type RunCli = (...args: string[]) => Promise<{ readonly stdout: string }>;

export async function helpOf(run: RunCli, path: readonly string[]): Promise<CommandHelp> {
  const { stdout } = await run(...path, '--help');
  return parseHelp(path, stdout);
}

/** The program, then every command, groups before their own. */
export async function helpOfAll(run: RunCli, path: readonly string[] = []): Promise<readonly CommandHelp[]> {
  const own = await helpOf(run, path);
  const all = [own];
  for (const { term } of own.commands) {
    const [name = ''] = term.split(' ');
    // Says of a command what the command says of itself.
    if (name !== 'help') all.push(...(await helpOfAll(run, [...path, name])));
  }
  return all;
}

const SECTION = /^(Arguments|Options|Commands):$/;

/** Lines of a wrapped description are joined, so the text does not depend on the terminal it was made for. */
export function parseHelp(path: readonly string[], text: string): CommandHelp {
  const sections: Record<string, HelpEntry[]> = { Arguments: [], Options: [], Commands: [] };
  const paragraphs: string[] = [];
  for (const block of text.split(/\n\s*\n/)) {
    const [first = '', ...rest] = block.replace(/^\n+/, '').trimEnd().split('\n');
    const [, section] = SECTION.exec(first) ?? [];
    if (section === undefined) paragraphs.push([first, ...rest].map((line) => line.trim()).join(' '));
    else sections[section] = entriesOf(rest);
  }
  const [usage = '', description = '', ...notes] = paragraphs.filter((paragraph) => paragraph !== '');
  return {
    path,
    usage: usage.replace(/^Usage: /, ''),
    description,
    arguments: sections['Arguments'] ?? [],
    options: (sections['Options'] ?? []).filter(({ term }) => term !== '-h, --help'),
    commands: sections['Commands'] ?? [],
    notes,
  };
}

function entriesOf(lines: readonly string[]): HelpEntry[] {
  const entries: HelpEntry[] = [];
  for (const line of lines) {
    const [, term = '', text = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    const last = entries.at(-1);
    if (term !== '') entries.push({ term, text });
    else if (last !== undefined)
      entries[entries.length - 1] = { ...last, text: `${last.text} ${line.trim()}`.trim() };
  }
  return entries;
}
