/** `docs/commands.md`, whole: `npm run docs:commands` writes it, a test compares it. */
import { EXIT, TURN_EXIT } from '../../../src/cli/base/exit-codes.js';
import { program } from '../../../src/cli/run-cli.js';
import type { CliDeps } from '../../../src/cli/base/deps.js';
import { helpOfAll, type CommandHelp, type HelpEntry } from './command-help.js';

/** The compiler asks for a line here when an exit code is added. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'It was done.',
  failed: 'It was tried and failed; for `doctor`, `check` and `forge setup`: something is wrong.',
  usage: 'The command line or the configuration is wrong. Nothing was tried.',
  notFound: 'There is no such run, issue, pull request or manifest.',
  refused: 'It exists, but the request cannot apply now. The reason is printed.',
  unreachable: 'Temporal, the container engine or the forge does not answer.',
  interrupted: '`forge setup` was ended by Ctrl-C, and has left nothing of its test on the forge.',
};

const TURN_MEANINGS: Readonly<Record<keyof typeof TURN_EXIT, string>> = {
  blocked: '`blocked`: the agent says that it is blocked.',
  stuck: '`stuck`: it left a `STUCK.md`.',
  failed: '`failed`: it says that it failed, or the turn could not be carried out.',
  incomplete: '`incomplete`: it exited without saying how it went.',
  outOfTime: '`watchdog`, `timeout`: it was silent for too long, or took too long.',
  limit: '`budget`, `limited`: the budget of the run or the day, or a usage limit of the provider.',
  fault: '`sidecar_died`, `disk`, `queue_flood`, `history`: the machine, or one of its limits.',
  calledOff: '`paused`, `untriggered`, `unserved`, `closed`: called off.',
};

export function commandsMarkdown(): string {
  // Nothing is run: of the world its commands are registered with, only the version is asked for.
  const root = program({ deps: { version: '' } as CliDeps, action: () => undefined });
  const own = helpOfAll(root);
  return `# Commands

<!-- Generated from \`bot-bottle --help\` by \`npm run docs:commands\`. Don't edit. -->

${root.description()}. What to use when: [run.md](run.md).

| command | what it does |
| --- | --- |
${own.map((command) => `| [\`${nameOf(command)}\`](#${anchorOf(command)}) | ${cell(command.description)} |`).join('\n')}

Every command has \`--help\`. A \`<run>\` is \`owner/repo#12\` (the issue or its pull request), the address of either on the
forge, or the run's slug. Owner and repository may be in any case, as on the forge.

## Exit status

| status | when |
| --- | --- |
${statusRows(EXIT, MEANINGS)}

With \`--wait\`, \`orchestrate start\` and \`resume\` exit with 0 only for a turn that ended \`done\`. An agent that exited by
itself with something else has its own exit code handed on. Otherwise the reason decides, also for an agent that the
orchestrator stopped:

| status | reason |
| --- | --- |
${statusRows(TURN_EXIT, TURN_MEANINGS)}

\`sync\` exits with 18 when there was nothing to do ([\`sync run\`](#sync-run)).

An agent may exit with one of these numbers itself. \`--json\` tells them apart: \`exitCode\` is the agent's (\`null\` when it
never ran), \`reason\` and \`detail\` say how the turn ended, \`stopped\` why the orchestrator ended it. With \`--json\` every
command prints one JSON document on standard output, and \`logs\` one a line.

${own.map(sectionOf).join('\n\n')}
`;
}

function statusRows<K extends string>(
  codes: Readonly<Record<K, number>>,
  meanings: Readonly<Record<K, string>>,
): string {
  const names = Object.keys(meanings) as K[];
  return names.map((name) => `| ${String(codes[name])} | ${meanings[name]} |`).join('\n');
}

function sectionOf(command: CommandHelp): string {
  return [
    `## ${nameOf(command)}`,
    `${cell(command.description)}.`,
    `\`\`\`text\n${command.usage}\n\`\`\``,
    ...(command.entries.length === 0 ? [] : [`| | |\n| --- | --- |\n${command.entries.map(row).join('\n')}`]),
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
