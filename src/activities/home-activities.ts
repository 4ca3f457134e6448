import { beating } from './beating.js';
import { typedFailures } from './failures.js';
import type { HomePorts } from './home-ports.js';
import type { HomeActivities } from './interface.js';
import { prepareTurn } from './prepare-turn.js';
import { recordEnd, recordState, recordTurn } from './record-rows.js';
import { tellFrozen } from './tell-frozen.js';

/** The activities of the home machine: the forge and the database. */
export function createHomeActivities(ports: HomePorts): HomeActivities {
  return {
    prepareTurn: (input) => typedFailures(() => beating(() => prepareTurn(ports, input))),
    recordTurn: (input) => typedFailures(() => recordTurn(ports, input)),
    recordState: (input) => typedFailures(() => recordState(ports, input)),
    recordEnd: (input) => typedFailures(() => recordEnd(ports, input)),
    tellFrozen: (input) => typedFailures(() => tellFrozen(ports, input)),
  };
}
