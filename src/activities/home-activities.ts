import { beating } from './base/beating.js';
import { typedFailures } from './base/failures.js';
import { OneByOne } from '../domain/base/one-by-one.js';
import { changePause } from './change-pause.js';
import type { HomePorts } from './ports/home-ports.js';
import type { HomeActivities, PauseActivities } from './ports/interface.js';
import { prepareTurn } from './prepare/prepare-turn.js';
import { unlessGivenUp } from './prepare/unless-given-up.js';
import { recordCommand, recordEnd, recordState, recordTurn } from './rows/record-rows.js';
import type { UnderWay } from '../domain/run/under-way.js';
import { tellChecksStopped } from './rows/tell-checks-stopped.js';
import { tellFrozen } from './rows/tell-frozen.js';
import { stepOfTurn } from './base/work-of-run.js';
import { checkChange } from './supervise/check-change.js';
import { recordDecision, recordProposal } from './supervise/record-proposals.js';

/** The activities of the home machine: the forge and the database. */
export function createHomeActivities(ports: HomePorts, underWay: UnderWay): HomeActivities & PauseActivities {
  const proposals = new OneByOne();
  return typedFailures({
    soleHost: () => Promise.resolve(ports.soleHost),
    prepareTurn: (input) =>
      beating((signal) =>
        underWay.during(stepOfTurn(input, 'prepare'), () => prepareTurn(unlessGivenUp(ports, signal), input)),
      ),
    checkChange: (input) => checkChange(ports, input),
    recordTurn: (input) => recordTurn(ports, input),
    recordState: (input) => recordState(ports, input),
    recordEnd: (input) => recordEnd(ports, input),
    changePause: (input) => changePause(ports, input),
    recordCommand: (input) => recordCommand(ports, input),
    recordProposal: (input) => proposals.next(input.slug, () => recordProposal(ports, input)),
    recordDecision: (input) => proposals.next(input.slug, () => recordDecision(ports, input)),
    tellChecksStopped: (input) => tellChecksStopped(ports, input),
    tellFrozen: (input) => tellFrozen(ports, input),
  });
}
