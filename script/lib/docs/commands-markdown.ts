/** `docs/commands.md`, whole: `npm run docs:commands` writes it, a test compares it. */
import { EXIT } from '../../../src/cli/exit-codes.js';
import { helpOfAll, type CommandHelp, type HelpEntry, type RunCli } from './command-help.js';

/** The compiler asks for a line here when an exit code is added. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'It was done.',
  failed: 'It was tried and failed; for `doctor`, `check` and `forge setup`: something is wrong.',
  usage: 'The command line or the configuration is wrong. Nothing was tried.',
  notFound: 'There is no such run, issue, pull request or manifest.',
  refused: 'It exists, but the request cannot apply now. The reason is printed.',
  unreachable: 'Temporal, the container engine or the forge does not answer.',
};

export async function commandsMarkdown(run: RunCli): Promise<string> {
  const [program, ...commands] = await helpOfAll(run);
  if (program === undefined) throw new Error('the program has no help');
  const own = commands.filter((command) => command.commands.length === 0);
  return `# Commands

<!-- Generated from \`bot-bottle --help\` by \`npm run docs:commands\`. Don't edit. -->

${program.description}. What to use when: [run.md](run.md).

| command | what it does |
| --- | --- |
${own.map((command) => `| [\`${nameOf(command)}\`](#${anchorOf(command)}) | ${cell(command.description)} |`).join('\n')}

Every command has \`--help\`. A \`<run>\` is \`owner/repo#12\` (the issue or its pull request), the address of either on the
forge, or the run's slug.

## Exit status

| status | when |
| --- | --- |
${Object.entries(MEANINGS)
  .map(([name, meaning]) => `| ${String(EXIT[name as keyof typeof EXIT])} | ${meaning} |`)
  .join('\n')}

${program.notes.map(cell).join('\n\n')}

${own.map(sectionOf).join('\n\n')}
`;
}

function sectionOf(command: CommandHelp): string {
  const rows = [...command.arguments, ...command.options];
  return [
    `## ${nameOf(command)}`,
    `${cell(command.description)}.`,
    `\`\`\`text\n${command.usage}\n\`\`\``,
    ...(rows.length === 0 ? [] : [`| | |\n| --- | --- |\n${rows.map(row).join('\n')}`]),
    ...command.notes.map(cell),
  ].join('\n\n');
}

function row({ term, text }: HelpEntry): string {
  return `| \`${term.replaceAll('|', '\\|')}\` | ${cell(text)} |`;
}

/** What Markdown would take for markup is shown. */
function cell(text: string): string {
  return text.replace(' (default: [])', '').replace(/[|<>*_[\]]/g, '\\$&');
}

function nameOf({ path }: CommandHelp): string {
  return path.join(' ');
}

function anchorOf({ path }: CommandHelp): string {
  return path.join('-');
}
