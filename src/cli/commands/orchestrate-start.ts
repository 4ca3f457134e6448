import path from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { parseRepoName } from '../../domain/forge/issue.js';
import { MANIFEST_KEY } from '../../domain/forge/trigger.js';
import { answered, closing, collect, promptText, type CommandContext } from '../base/action.js';
import type { CliDeps } from '../base/deps.js';
import type { Orchestrator, Refused, RunSource, Started } from '../base/orchestrator.js';
import { parseIssue } from '../base/target.js';
import { followTurn, WAIT_HELP } from './follow-turn.js';

interface StartFlags {
  readonly issue?: string;
  readonly repo?: string;
  readonly dir?: string;
  readonly agent?: string;
  readonly bottle: readonly string[];
  readonly prompt?: string;
  readonly label?: string;
  readonly wait?: true;
  readonly json?: true;
}

export function orchestrateStartCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('start')
    .description('Start a run of an issue, or one without: of a repository or a directory')
    .option('--issue <owner/repo#n>', 'the issue, or its address')
    .option('--repo <owner/repo>', 'without an issue: a repository of the forge, where nothing is written')
    .option('--dir <path>', 'without an issue: a git repository on this machine, of which commits are taken')
    .option('--agent <name>', 'agent (default: the one the issue’s label names)')
    .option('--bottle <name>', 'bottle; may be repeated, later ones win', collect, [])
    .option('--prompt <text>', 'first prompt, instead of the issue’s text', promptText)
    .option('--label <text>', 'display name')
    .addOption(new Option('--backend <name>', 'where bottles run').choices(['docker']).default('docker'))
    .option('--wait', WAIT_HELP)
    .option('--json', 'as JSON');
  action<StartFlags>(command, async (flags) => {
    const start = await startOf(flags, () => deps.forgePages());
    return closing(deps.orchestrator(), async (orchestrator) => {
      const { wait = false, json = false } = flags;
      return followTurn(deps.io, orchestrator, await answered(deps, start.begin(orchestrator)), {
        ...{ wait, json, what: start.what },
      });
    });
  });
}

interface Start {
  readonly what: string;
  begin(orchestrator: Orchestrator): Promise<Started | Refused>;
}

/** Errors: `InvalidInputError` for options that do not go together. */
async function startOf(flags: StartFlags, forgePages: CliDeps['forgePages']): Promise<Start> {
  const { issue, repo, dir, agent, prompt } = flags;
  const options = { bottles: flags.bottle, label: flags.label ?? null };
  if ([issue, repo, dir].filter((one) => one !== undefined).length !== 1)
    throw new InvalidInputError('say what to work on with one of --issue, --repo and --dir');
  if (issue !== undefined) {
    const subject = parseIssue(issue, '--issue', await forgePages());
    const asked = { ...options, agent: agent ?? null, prompt: prompt ?? null };
    return { what: `issue ${issue}`, begin: (orchestrator) => orchestrator.start(subject, asked) };
  }
  if (agent === undefined || prompt === undefined)
    throw new InvalidInputError('a run without an issue needs --agent and --prompt');
  if (!MANIFEST_KEY.test(agent)) throw new InvalidInputError(`"${agent}" is not a possible agent name`);
  const source = sourceOf(repo, dir);
  const asked = { ...options, agent, prompt };
  return { what: repo ?? dir ?? '', begin: (orchestrator) => orchestrator.startLocal(source, asked) };
}

function sourceOf(repository: string | undefined, dir = ''): RunSource {
  if (repository === undefined) return { kind: 'directory', path: path.resolve(dir) };
  const name = parseRepoName(repository);
  if (name === undefined)
    throw new InvalidInputError('--repo takes the name of a repository, such as alice/demo');
  return { kind: 'repository', ...name };
}
