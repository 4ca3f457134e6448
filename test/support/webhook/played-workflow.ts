/** A workflow without Temporal, and what it does with a command of the machine. */
import type { HomePorts } from '../../../src/activities/home-ports.js';
import type { PrepareTurnOutcome } from '../../../src/activities/inputs.js';
import { prepareTurn } from '../../../src/activities/prepare-turn.js';
import { recordEnd, recordState, recordTurn } from '../../../src/activities/record-rows.js';
import type { MachineCommand } from '../../../src/workflows/issue-machine.js';
import { openPrs } from '../../../src/workflows/machine-forge.js';
import { needed, runRef, snapshotOf } from '../../../src/workflows/run-view.js';
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
  stop: Extract<MachineCommand, { kind: 'stop_turn' }>['reason'] | null;
  started: boolean;
  told: boolean;
}

/** As `CommandRunner` does. */
export function carryOut(ports: HomePorts, workflow: Workflow, command: MachineCommand): void {
  const s = workflow.world.state;
  switch (command.kind) {
    case 'prepare_turn': {
      const { turn, cause, references, omitted, session } = command;
      const input = {
        ...{ ...runRef(s), turn, trigger: needed(s.life, 'life').trigger, cause, references, omitted },
        ...{ limit: s.limit, prNumber: openPrs(s)[0] ?? null, host: s.host, repoId: s.place?.repoId ?? null },
        ...{ session, dayIsLifted: false },
      };
      workflow.preparing = { outcome: 'asked', readFrom: 0, begin: () => prepareTurn(ports, input) };
      return;
    }
    case 'run_turn':
      workflow.stop = null;
      workflow.started = false;
      workflow.told = false;
      return;
    case 'stop_turn':
      workflow.stop = command.reason;
      return;
    case 'settle_turn':
      workflow.publish = s.closing === null && !s.untriggered;
      return;
    case 'record_turn': {
      const { turn, result, settled, reason } = command;
      const snapshot = { ...snapshotOf(s), phase: 'frozen', reason };
      const input = {
        ...runRef(s),
        turn,
        result,
        settled,
        reason,
        snapshot,
        watchdogFired: s.watchdogFired,
      };
      workflow.rows.push(() => recordTurn(ports, input));
      return;
    }
    case 'record_state': {
      const input = { ...runRef(s), snapshot: snapshotOf(s) };
      workflow.rows.push(() => recordState(ports, input));
      return;
    }
    case 'record_end': {
      const input = { ...runRef(s, command.slug), endedAt: command.endedAt };
      workflow.rows.push(() => recordEnd(ports, input));
      return;
    }
    default:
      return;
  }
}
