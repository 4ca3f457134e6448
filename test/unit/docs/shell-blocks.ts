/** Blocks of shell commands in the documents, and what stands before each about who runs it. */

export interface ShellBlock {
  readonly line: number;
  readonly runs: Runs;
  readonly commands: readonly ShellCommand[];
}

export type Runs =
  | { readonly kind: 'run'; readonly files: readonly string[] }
  | { readonly kind: 'not_run'; readonly reason: string }
  | { readonly kind: 'not_said' };

export interface ShellCommand {
  readonly line: number;
  /** Program first, quotes and redirections taken away. Of a pipeline each part is a command. */
  readonly words: readonly string[];
}

export interface Fences {
  readonly blocks: readonly ShellBlock[];
  /** Lines where a block begins that does not say what language it is in. */
  readonly unnamed: readonly number[];
}

const FENCE = /^\s*```(\S*)\s*$/;
const MARK = /^\s*<!-- (run by|not run): (.*?) -->\s*$/;

export function shellBlocks(markdown: string): Fences {
  const blocks: ShellBlock[] = [];
  const unnamed: number[] = [];
  let before = '';
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | null = null;
  markdown.split('\n').forEach((text, index) => {
    const [, language] = FENCE.exec(text) ?? [];
    if (open === null) {
      if (language === undefined) before = text.trim() === '' ? before : text;
      else open = { line: index + 1, language, lines: [] };
    } else if (language === undefined) open.lines.push(text);
    else {
      const { line, lines } = open;
      if (open.language === '') unnamed.push(line);
      if (open.language === 'sh')
        blocks.push({ line, runs: runsOf(before), commands: commandsOf(line, lines) });
      open = null;
      before = '';
    }
  });
  return { blocks, unnamed };
}

function runsOf(before: string): Runs {
  const [, kind, rest = ''] = MARK.exec(before) ?? [];
  if (kind === 'run by') return { kind: 'run', files: rest.split(', ') };
  return kind === 'not run' && rest.length > 10 ? { kind: 'not_run', reason: rest } : { kind: 'not_said' };
}

function commandsOf(first: number, lines: readonly string[]): ShellCommand[] {
  return lines.flatMap((text, index) =>
    // What defines a function is no command.
    /^\s*\w+\(\)/.test(text) ? [] : commandsIn(text).map((words) => ({ line: first + 1 + index, words })),
  );
}

const TOKEN = /'([^']*)'|"([^"]*)"|(#.*$)|(\|\|?|&&|;)|([<>]\s*\S+)|([^\s'"|;&]+)/g;

function commandsIn(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [, single, double, comment, operator, redirection, plain] of text.matchAll(TOKEN)) {
    if (operator !== undefined) commands.push([]);
    else if (comment === undefined && redirection === undefined)
      commands.at(-1)?.push(single ?? double ?? plain ?? '');
  }
  return commands.filter(({ length }) => length > 0);
}

/** The arguments of `bot-bottle` in a command, also of one in a container; `undefined` for another program. */
export function productArguments(words: readonly string[]): readonly string[] | undefined {
  if (words[0] === 'bot-bottle') return words.slice(1);
  const isCompose = words.slice(0, 3).join(' ') === 'docker compose run';
  return isCompose && words.includes('worker') ? words.slice(words.indexOf('worker') + 1) : undefined;
}
