/** As the webhook, the hosts and the CLI send to a run's workflow. */
import type { WorkflowHandle } from '@temporalio/client';
import type { OperatorCommand, RunEvent } from '../../../src/domain/run/events.js';
import { commandUpdates, signalOf, type CommandAccepted } from '../../../src/workflows/messages.js';
import { SUBJECT } from '../machine/world.js';

export function send(handle: WorkflowHandle, event: RunEvent): Promise<void> {
  const { name, payload } = signalOf(event, SUBJECT.number);
  return handle.signal(name, payload);
}

export function order(handle: WorkflowHandle, command: OperatorCommand): Promise<CommandAccepted> {
  const { kind, ...asked } = command;
  return handle.executeUpdate(commandUpdates[kind], { args: [asked] });
}
