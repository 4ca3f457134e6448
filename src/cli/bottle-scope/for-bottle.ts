/** `--for bottle`: a decision that later runs have, too. */
import { Option, type Command } from 'commander';
import { messageOf } from '../../domain/base/message-of.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { ManifestEdit } from '../../domain/manifest/bottle-editor.js';
import type { ConfigChange } from '../../domain/supervise/config-change.js';
import { escapeTerminalLines } from '../../domain/text/escape.js';
import type { CliDeps } from '../base/deps.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printLine, printProblem } from '../base/output.js';
import type { ProposalDesk } from '../base/proposal-desk.js';

export interface ScopeFlags {
  readonly for?: 'run' | 'bottle';
  readonly manifest?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function scopeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--for <scope>', 'for this run alone, or also in the manifest of its bottle, for later runs')
        .choices(['run', 'bottle'])
        .default('run'),
    )
    .option('--manifest <name>', 'with --for bottle: which of the bottles that the run’s is made of')
    .option('--yes', 'with --for bottle: write without asking');
}

/**
 * The edit of the manifest, which the operator has seen and agreed to; `null` when only the run is meant. Nothing is written.
 * Errors: `InvalidInputError` with what stands in the way; `CliError` when they did not agree.
 */
export async function agreedEdit(
  deps: CliDeps,
  desk: ProposalDesk,
  { slug, change }: { readonly slug: string; readonly change: ConfigChange | null },
  { for: scope, manifest, yes, json }: ScopeFlags,
): Promise<ManifestEdit | null> {
  if (scope !== 'bottle' || change === null) {
    if (manifest === undefined && yes === undefined) return null;
    throw new InvalidInputError('--manifest and --yes are for --for bottle');
  }
  if (change.kind === 'image')
    throw new InvalidInputError(
      '--for bottle cannot write this: change the file that the manifest’s "dockerfile" key names, and approve it --for run',
    );
  const bottles = await desk.bottlesOf(slug);
  if (bottles === undefined) throw new InvalidInputError(`nobody knows the bottle of ${slug}: use --for run`);
  const edit = await (await deps.bottleEditor()).plan(bottles, manifest, change);
  if (edit.diff === '') return edit;
  if (!json) {
    printLine(deps.io, `${edit.file}:`);
    deps.io.stdout.write(`${escapeTerminalLines(edit.diff)}\n`);
  }
  if (yes) return edit;
  if (json || !deps.io.stdin.isTTY)
    throw new InvalidInputError('nobody can be asked whether to write that: look at it, and add --yes');
  const answer = await deps.io.stdin.ask('write this, and decide? [y/N] ');
  if (/^y(?:es)?$/i.test(answer.trim())) return edit;
  throw new CliError('refused', EXIT.refused, 'nothing was decided, and nothing was written');
}

export interface WrittenManifest {
  readonly file: string;
  readonly diff: string;
  /** Why it could not be written; `null` when it is as agreed. */
  readonly problem: string | null;
}

/** Once the decision stands. */
export async function writeEdit(edit: ManifestEdit): Promise<WrittenManifest> {
  const { file, diff } = edit;
  try {
    if (diff !== '') await edit.write();
    return { file, diff, problem: null };
  } catch (error) {
    return { file, diff, problem: messageOf(error) };
  }
}

export function tellWritten({ io }: CliDeps, { file, diff, problem }: WrittenManifest): void {
  if (problem === null) return printLine(io, `${file} ${diff === '' ? 'says so already' : 'is written'}`);
  printProblem(io, `the decision stands, but ${file} could not be written: ${problem}`);
  printProblem(io, `later runs have it once you change the file yourself:\n${diff}`.trimEnd());
}
