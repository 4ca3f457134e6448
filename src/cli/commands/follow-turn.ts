import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../deps.js';
import type { NotFound, Orchestrator, Refused, Started } from '../orchestrator.js';
import { printJson, printLine } from '../output.js';

/**
 * What `start` and `resume` share: they print the slug at once, or with `wait` follow the turn and exit as the agent
 * did [S4].
 */
export async function followTurn(
  io: CliIo,
  orchestrator: Orchestrator,
  begun: Started | Refused | NotFound,
  options: { readonly wait: boolean; readonly json: boolean; readonly what: string },
): Promise<number> {
  const started = startedOrThrow(begun, options.what);
  const { slug, workflowId, turn } = started;
  if (!options.wait) {
    if (options.json) printJson(io, { slug, workflowId, turn });
    else printLine(io, slug);
    return EXIT.ok;
  }
  const outcome = await orchestrator.waitForTurn(slug, turn);
  if (options.json) printJson(io, { slug, workflowId, turn, ...outcome });
  else {
    const pr = outcome.pr === null ? 'no pull request' : `pull request #${outcome.pr}`;
    printLine(
      io,
      `${slug}: agent exited with ${outcome.exitCode}, ${outcome.doneStatus ?? 'incomplete'}, ${pr}`,
    );
    if (outcome.fetch !== null) printLine(io, outcome.fetch);
  }
  return outcome.exitCode;
}

function startedOrThrow(begun: Started | Refused | NotFound, what: string): Started {
  switch (begun.kind) {
    case 'started':
      return begun;
    case 'refused':
      throw new CliError('refused', EXIT.refused, `refused: ${begun.reason}`);
    case 'not_found':
      throw new CliError(
        'not_found',
        EXIT.notFound,
        `no ${what}: bot-bottle orchestrate status lists what there is`,
      );
  }
}
