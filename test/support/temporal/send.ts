/** As the webhook, the hosts and the CLI send to a run's workflow. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import type { OperatorCommand, RunEvent } from '../../../src/domain/run/events.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import { temporalGateway } from '../../../src/webhook/dispatch/temporal-gateway.js';
import { commandUpdates, signalOf, type CommandAccepted } from '../../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../machine/world.js';

/** An act on the forge asks for a run; resolves with its workflow. */
export async function askForRun(
  client: Client,
  subject: SubjectRef,
  policy = DEFAULT_POLICY,
): Promise<WorkflowHandle> {
  const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
  const about = { title: 'A life', url: 'http://forge.invalid/1' };
  await temporalGateway(client, { policy }).signalWithStart(subject, asked, about);
  return client.workflow.getHandle(workflowIdOf(subject));
}

export function send(handle: WorkflowHandle, event: RunEvent): Promise<void> {
  const { name, payload } = signalOf(event, SUBJECT.number);
  return handle.signal(name, payload);
}

export function order(handle: WorkflowHandle, command: OperatorCommand): Promise<CommandAccepted> {
  const { kind, ...asked } = command;
  return handle.executeUpdate(commandUpdates[kind], { args: [asked] });
}
