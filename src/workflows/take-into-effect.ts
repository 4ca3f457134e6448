import type { MachineEvent } from '../domain/run/events.js';
import { shortProposalId } from '../domain/supervise/proposal.js';
import * as activities from './activities.js';
import { bottlesQueue } from './messages.js';
import type { MachineCommand } from './run/commands.js';

export type ChangeCommand = Extract<
  MachineCommand,
  { kind: 'check_change' | 'apply_change' | 'rebuild_image' }
>;

/** What an operator agreed to, in the bottle that runs or for its next turn. Errors: the activities'. */
export async function takeIntoEffect(command: ChangeCommand): Promise<MachineEvent> {
  const { id } = command;
  const name = shortProposalId(id);
  if (command.kind === 'check_change') {
    await activities.promptly.checkChange.executeWithOptions({ summary: `check ${name}` }, [command.input]);
    return { kind: 'change_applied', id };
  }
  const taskQueue = bottlesQueue(command.host);
  if (command.kind === 'apply_change') {
    const options = { taskQueue, summary: `take ${name} into effect` };
    await activities.changes.applyChange.executeWithOptions(options, [command.input]);
    return { kind: 'change_applied', id };
  }
  const options = { taskQueue, summary: `build the image of ${name}` };
  const built = await activities.builds.rebuildImage.executeWithOptions(options, [command.input]);
  if (built.kind === 'built') return { kind: 'change_applied', id };
  return { kind: 'build_failed', id, reasonRef: built.reasonRef };
}
