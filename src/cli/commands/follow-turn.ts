import { notFound, refused } from '../base/errors.js';
import { EXIT, exitOfTurn } from '../base/exit-codes.js';
import type { CliIo } from '../base/deps.js';
import type { NotFound, Orchestrator, Refused, Started, TurnOutcome } from '../base/orchestrator.js';
import { printJson, printLine, printProblem } from '../base/output.js';

/** What `--wait` is for, as `start` and `resume` say it in their help. */
export const WAIT_HELP = 'follow the turn until the run rests, and exit by how it ended';

/**
 * What `start` and `resume` share: they print the slug at once, or with `wait` follow the turn and exit by how it ended:
 * 0 when it is done, else as the agent did [S4], else by the reason.
 */
export async function followTurn(
  io: CliIo,
  orchestrator: Orchestrator,
  begun: Started | Refused | NotFound,
  options: { readonly wait: boolean; readonly json: boolean; readonly what: string },
): Promise<number> {
  if (begun.kind === 'refused') throw refused(begun.reason);
  if (begun.kind === 'not_found')
    throw notFound(`no ${options.what}: bot-bottle orchestrate status lists the runs`);
  const { slug, workflowId, turn } = begun;
  if (!options.wait) {
    if (options.json) printJson(io, { slug, workflowId, turn });
    else printLine(io, slug);
    return EXIT.ok;
  }
  // Whoever leaves needs to know what goes on.
  printProblem(io, `bot-bottle: following turn ${String(turn)} of ${slug}; it goes on if you leave`);
  const outcome = await orchestrator.waitForTurn(begun);
  if (options.json) printJson(io, { slug, workflowId, ...outcome });
  else {
    printLine(io, `${slug}: ${told(outcome)}`);
    // Text of several lines stays so, and each is escaped.
    for (const line of outcome.detail?.split('\n') ?? []) printLine(io, `  ${line}`);
    if (outcome.fetch !== null) printLine(io, outcome.fetch);
  }
  return exitOfTurn(outcome);
}

function told({ turn, reason, exitCode, stopped, doneStatus, pr, sessionId }: TurnOutcome): string {
  const name = `turn ${String(turn)}`;
  if (exitCode === null) return `${name} did not run: ${reason}`;
  const agent = stopped === null ? 'agent exited' : 'agent was stopped and exited';
  return [
    `${name} ended: ${reason}`,
    `${agent} with ${String(exitCode)}`,
    doneStatus === null ? 'said nothing' : `said ${doneStatus}`,
    pr === null ? 'no pull request' : `pull request #${String(pr)}`,
    ...(sessionId === null ? [] : [`session ${sessionId}`]),
  ].join(', ');
}
