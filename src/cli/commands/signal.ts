import { Argument } from 'commander';
import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { answered, closing, durationOf, promptText, type CommandContext } from '../base/action.js';
import { readUsd } from '../../domain/run/budget.js';
import { notFound, refused } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import type { RunCommand } from '../base/orchestrator.js';
import { printJson, printLine } from '../base/output.js';
import { parseTarget } from '../base/target.js';

const KINDS = ['done', 'freeze', 'resume', 'destroy', 'extend', 'budget', 'move'] as const;

interface SignalFlags {
  readonly prompt?: string;
  readonly by?: string;
  readonly turns?: string;
  readonly tokens?: string;
  readonly usd?: string;
  readonly today?: true;
  readonly json?: true;
}

export function signalCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('signal')
    .description('Tell a run what to do')
    .argument('<run>', 'address of its issue, owner/repo#12, or slug')
    .addArgument(new Argument('<command>', 'what to do').choices(KINDS))
    .option('--prompt <text>', 'with resume: what the agent is told', promptText)
    .option('--by <duration>', 'with extend: how much longer the watchdog waits, such as 30m')
    .option('--turns <n>', 'with budget: additional turns')
    .option('--tokens <n>', 'with budget: additional tokens')
    .option('--usd <amount>', 'with budget: additional US dollars')
    .option('--today', 'with budget: go on today, though the budget of all runs for the day is used up')
    .option('--json', 'as JSON');
  action<SignalFlags>(command, async (flags, [run = '', kind = '']) => {
    const target = parseTarget(run, await deps.forgePages());
    const order = runCommand(kind, flags);
    return closing(deps.orchestrator(), async (orchestrator) => {
      const answer = await answered(deps, orchestrator.command(target, order));
      if (answer.kind === 'not_found')
        throw notFound(`no run ${run}: bot-bottle orchestrate status lists the runs`);
      if (answer.kind === 'refused') throw refused(answer.reason);
      if (flags.json) printJson(deps.io, { command: order.kind, slug: answer.slug, phase: answer.phase });
      else printLine(deps.io, `${answer.slug ?? run}: ${order.kind} accepted, ${answer.phase}`);
      return EXIT.ok;
    });
  });
}

function runCommand(kind: string, flags: SignalFlags): RunCommand {
  const { prompt, by } = flags;
  if (prompt !== undefined && kind !== 'resume')
    throw new InvalidInputError('--prompt only works with resume');
  if (by !== undefined && kind !== 'extend') throw new InvalidInputError('--by only works with extend');
  if (kind !== 'budget' && BUDGET_FLAGS.some((flag) => flags[flag] !== undefined))
    throw new InvalidInputError('--turns, --tokens, --usd and --today only work with budget');
  switch (kind) {
    case 'done':
    case 'freeze':
    case 'destroy':
    case 'move':
      return { kind };
    case 'resume':
      return { kind, prompt: prompt ?? null };
    case 'extend':
      if (by === undefined) throw new InvalidInputError('extend needs --by, such as --by 30m');
      return { kind, ms: positive(durationOf('--by', by)) };
    case 'budget':
      return budgetCommand(flags);
    default:
      throw new InvalidInputError(`expected one of ${KINDS.join(', ')}`);
  }
}

const BUDGET_FLAGS = ['turns', 'tokens', 'usd', 'today'] as const;

function budgetCommand({ turns, tokens, usd, today }: SignalFlags): RunCommand {
  if ([turns, tokens, usd, today].every((flag) => flag === undefined))
    throw new InvalidInputError('budget needs at least one of --turns, --tokens, --usd and --today');
  return {
    kind: 'budget',
    turns: turns === undefined ? 0 : count(turns, '--turns'),
    tokens: tokens === undefined ? 0 : count(tokens, '--tokens'),
    microUsd: usd === undefined ? 0 : dollars(usd),
    today: today === true,
  };
}

function count(text: string, flag: string): number {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidInputError(`${flag} takes a number from 1 to 9999999999`);
  return value;
}

function dollars(text: string): number {
  const value = readUsd(text);
  if (value === undefined) throw new InvalidInputError('--usd takes US dollars, such as 5 or 2.50');
  return value;
}

function positive(ms: number): number {
  if (ms <= 0) throw new InvalidInputError('--by must be longer than nothing');
  return ms;
}
