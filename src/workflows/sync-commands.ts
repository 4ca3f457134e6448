/** What reaches a sync from outside. */
import { ApplicationFailure, CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import { isOperatorName, NO_OPERATOR_NAME, UNKNOWN_OPERATOR } from '../domain/forge/operator-name.js';
import type { OperatorCommand } from '../domain/run/events.js';
import { rows } from './activities.js';
import { COMMAND_KINDS, commandUpdates, type CommandAccepted, type RunView } from './messages.js';
import { readCommand, refuseLate } from './read-message.js';

/** An operator can call it off; there is nothing that it could be woken from, or given more time. */
export function takeCommands(view: () => RunView, callOff: () => void): void {
  for (const kind of COMMAND_KINDS)
    setHandler(commandUpdates[kind], (asked) => destroy(asked), {
      validator: (asked) => {
        refuseLate(asked, Date.now());
        const refusal = refusalOf(readCommand(kind, asked), view());
        if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, 'CommandRefused');
      },
    });

  async function destroy(asked: object | undefined): Promise<CommandAccepted> {
    const { by: who = UNKNOWN_OPERATOR } = readCommand('destroy', asked);
    const { runId, workflowId } = workflowInfo();
    const { slug, turn } = view();
    const act = {
      id: `${runId}/destroy`,
      at: Date.now(),
      who,
      kind: 'destroy',
      detail: {},
      slug,
      workflowId,
    };
    // Beside what is called off.
    await CancellationScope.nonCancellable(() =>
      rows.recordCommand.executeWithOptions({ summary: 'row of the operator’s destroy' }, [act]),
    );
    callOff();
    return { slug, phase: 'destroying', turn };
  }
}

function refusalOf({ kind, by }: OperatorCommand, { phase }: RunView): string | null {
  if (kind !== 'destroy') return 'a sync is one turn: it takes destroy, which calls it off';
  // It goes into the signed record.
  if (by !== undefined && !isOperatorName(by)) return NO_OPERATOR_NAME;
  return phase === 'freezing' ? 'it is ending' : null;
}
