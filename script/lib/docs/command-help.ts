/** What the program says of itself by `--help`, as commander makes it. */
import type { Command } from 'commander';

export interface HelpEntry {
  /** As shown: `--turn <n>`, `-f, --follow`, `<run>`. */
  readonly term: string;
  readonly text: string;
}

export interface CommandHelp {
  /** The words that lead to it. */
  readonly path: readonly string[];
  readonly usage: string;
  readonly description: string;
  /** Arguments and options, without `--help`, which every command has. */
  readonly entries: readonly HelpEntry[];
  /** Paragraphs that stand after all of it. */
  readonly notes: readonly string[];
}

/** Every command below this one that is no group. */
export function helpOfAll({ commands }: Command, path: readonly string[] = []): readonly CommandHelp[] {
  return commands.flatMap((command) => {
    const own = [...path, command.name()];
    return command.commands.length > 0 ? helpOfAll(command, own) : [helpOf(command, own)];
  });
}

function helpOf(command: Command, path: readonly string[]): CommandHelp {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return {
    path,
    usage: help.commandUsage(command),
    description: help.commandDescription(command),
    entries: [
      ...help.visibleArguments(command).map((argument) => ({
        term: help.argumentTerm(argument),
        text: help.argumentDescription(argument),
      })),
      ...options.map((option) => ({ term: help.optionTerm(option), text: help.optionDescription(option) })),
    ],
    notes: notesOf(command),
  };
}

/** Commander writes the help of its own first, then what was added to it. */
function notesOf(command: Command): readonly string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
  const paragraphs = written.slice(1).flatMap((text) => text.split(/\n\s*\n/));
  return paragraphs.map((text) => text.trim().replace(/\s*\n\s*/g, ' ')).filter((text) => text !== '');
}
