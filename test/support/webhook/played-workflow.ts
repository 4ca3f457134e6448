/** A workflow without Temporal, and what it does with a command of the machine. */
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import type { PrepareTurnOutcome } from '../../../src/domain/run/events.js';
import { prepareTurn } from '../../../src/activities/prepare/prepare-turn.js';
import { recordEnd, recordState, recordTurn } from '../../../src/activities/rows/record-rows.js';
import type { StopReason } from '../../../src/domain/run/turn.js';
import type { MachineCommand } from '../../../src/workflows/run/commands.js';
import type { World } from '../machine/world.js';

export interface Preparing {
  /** `asked`: not begun. */
  outcome: PrepareTurnOutcome | Error | 'asked' | 'reading';
  readFrom: number;
  readonly begin: () => Promise<PrepareTurnOutcome>;
}

export interface Workflow {
  readonly id: string;
  readonly world: World;
  rows: (() => Promise<void>)[];
  preparing: Preparing | null;
  publish: boolean;
  stop: StopReason | null;
  started: boolean;
  told: boolean;
}

/** As `CommandRunner` does. */
export function carryOut(ports: HomePorts, workflow: Workflow, command: MachineCommand): void {
  switch (command.kind) {
    case 'prepare_turn': {
      const { input } = command;
      workflow.preparing = { outcome: 'asked', readFrom: 0, begin: () => prepareTurn(ports, input) };
      return;
    }
    case 'run_turn':
      workflow.stop = null;
      workflow.started = false;
      workflow.told = false;
      return;
    case 'stop_turn':
      workflow.stop = workflow.world.turn.stop;
      return;
    case 'settle_turn':
      workflow.publish = command.input.publish;
      return;
    case 'record_turn':
      workflow.rows.push(() => recordTurn(ports, command.input));
      return;
    case 'record_state':
      workflow.rows.push(() => recordState(ports, command.input));
      return;
    case 'record_end':
      workflow.rows.push(() => recordEnd(ports, command.input));
      return;
    default:
      return;
  }
}
