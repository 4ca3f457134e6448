/** What reaches a sync from outside. */
import {
  ApplicationFailure,
  CancellationScope,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { isOperatorName, NO_OPERATOR_NAME, UNKNOWN_OPERATOR } from '../domain/forge/operator-name.js';
import type { OperatorCommand } from '../domain/run/events.js';
import { rows } from './activities.js';
import { COMMAND_KINDS, commandUpdates, type CommandAccepted, type RunView } from './messages.js';
import { readCommand, readSignal, refuseLate } from './read-message.js';

/**
 * An operator can call it off, by `destroy`, or by a pause until its agent has begun; there is nothing that it could be woken
 * from, or given more time.
 * @param callOff takes the reason, if there is more to say than that
 */
export function takeMessages(view: () => RunView, callOff: (why: string | null) => void): void {
  let hasBegun = false;
  setDefaultSignalHandler((name, payload) => {
    const event = readSignal(name, payload);
    if (event.kind === 'turn_started' && event.slug === view().slug) hasBegun = true;
    if (event.kind === 'paused' && !hasBegun && view().phase !== 'freezing') callOff(event.reason);
  });
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
    callOff(null);
    return { slug, phase: 'destroying', turn };
  }
}

function refusalOf({ kind, by }: OperatorCommand, { phase }: RunView): string | null {
  if (kind !== 'destroy') return 'a sync is one turn: it takes destroy, which calls it off';
  // It goes into the signed record.
  if (by !== undefined && !isOperatorName(by)) return NO_OPERATOR_NAME;
  return phase === 'freezing' ? 'it is ending' : null;
}
