/** What people on the forge are told beside the run's course: whether they could be changes nothing. */
import * as activities from './activities.js';
import type { MachineCommand } from './run/commands.js';

type TellCommand = Extract<MachineCommand, { kind: 'tell_frozen' | 'tell_checks_stopped' }>;

export class Teller {
  private underWay = 0;

  /** Something is being told, or tried again in a while: it would not be if the execution ended now. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  tell(command: TellCommand): void {
    this.underWay += 1;
    const over = (): void => {
      this.underWay -= 1;
    };
    told(command).then(over, over);
  }
}

function told(command: TellCommand): Promise<void> {
  const { tellFrozen, tellChecksStopped } = activities.telling;
  if (command.kind === 'tell_frozen') {
    const options = { summary: `leave a reaction: ${command.reason}` };
    return tellFrozen.executeWithOptions(options, [command.run]);
  }
  const options = { summary: 'say that failed checks wake it no more' };
  return tellChecksStopped.executeWithOptions(options, [command.input]);
}
