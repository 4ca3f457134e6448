/** One workflow per issue: handlers enqueue, one loop drains the mailbox through the pure machine. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { MachineEvent, OperatorCommand } from '../domain/run/events.js';
import type { OpenPrRequest } from '../domain/run/run-channel.js';
import type { PublishResult } from '../domain/run/turn.js';
import { CommandRunner } from './command-runner.js';
import {
  COMMAND_KINDS,
  commandUpdates,
  openPrUpdate,
  stateQuery,
  timelineQuery,
  type CommandAccepted,
  type IssueWorkflowInput,
  type RunOutcome,
} from './messages.js';
import { PhaseShown } from './phase-shown.js';
import { handleProposals } from './proposal-handlers.js';
import { detailsOf, outcomeOf, viewOf } from './run-view.js';
import { isOpenPr, readCommand, readSignal, refuseLate } from './read-message.js';
import { publishInput } from './run/inputs.js';
import { refusalOf } from './run/operator.js';
import { isQuiescent, phaseOf } from './run/phase.js';
import { betweenLives, initialState } from './run/beginnings.js';
import type { IssueState, Life, Running } from './run/state.js';
import { step } from './run/step.js';
import { migrate } from './version.js';

/** The server lets an execution have 2,000 Updates, and five times as many signals. */
const SIGNALS_OF_UPDATE = 5;
/** The server ends a run whose history has 50 MB (`limit.historySize.error`). */
const MAX_HISTORY_BYTES = 30_000_000;

/** Its result is what the last life came to. */
export async function issueWorkflow(input: IssueWorkflowInput): Promise<RunOutcome | null> {
  const { carried, ...begun } = migrate(input);
  let state = carried ?? initialState(begun.subject, begun.policy, begun.named ?? null);
  const mailbox: MachineEvent[] = [];
  let handled = 0;
  let received = 0;
  /** And Updates, as so many. */
  let signals = 0;
  /** By their tickets, why commands did not apply: what came before them in their task changed the run. */
  const refusals = new Map<number, string>();
  const enqueue = (event: MachineEvent): number => {
    mailbox.push(event);
    return (received += 1);
  };
  const runner = new CommandRunner(
    enqueue,
    () => isEnding(state),
    () => state.policy.hostSilentMs,
  );
  const phaseShown = new PhaseShown();
  const countUpdate = (): void => {
    signals += SIGNALS_OF_UPDATE;
  };
  const take = async (event: MachineEvent): Promise<void> => {
    const ticket = enqueue(event);
    await condition(() => handled >= ticket);
  };

  setHandler(stateQuery, () => viewOf(state));
  setHandler(timelineQuery, () => state.life?.timeline ?? []);
  setDefaultSignalHandler((name, payload) => {
    signals += 1;
    enqueue(readSignal(name, payload));
  });
  for (const kind of COMMAND_KINDS)
    setHandler(commandUpdates[kind], (asked) => carryOut(readCommand(kind, asked)), {
      validator: (asked) => {
        refuseLate(asked, Date.now());
        const refusal = refusalOf(state, readCommand(kind, asked));
        if (refusal !== null) throw commandRefused(refusal);
      },
    });

  async function carryOut(command: OperatorCommand): Promise<CommandAccepted> {
    countUpdate();
    const ticket = enqueue({ kind: 'command', command, at: Date.now() });
    await condition(() => handled >= ticket && !isAboutToBegin(state));
    const refusal = refusals.get(ticket);
    if (refusal !== undefined) throw commandRefused(refusal);
    const { slug, phase, turn } = viewOf(state);
    return { slug, phase, turn };
  }

  handleProposals({ state: () => state, take, countUpdate });

  setHandler(openPrUpdate, (request) => openPr(request), {
    validator: (request: OpenPrRequest) => {
      if (!isOpenPr(request)) throw ApplicationFailure.nonRetryable('it is no request', 'NoRequest');
      if (turnThatAsks(state, request) !== null) return;
      throw ApplicationFailure.nonRetryable('this turn is over', 'TurnOver');
    },
  });

  async function openPr(request: OpenPrRequest): Promise<PublishResult> {
    countUpdate();
    const known = state.life?.answers.find((answer) => answer.requestId === request.requestId);
    if (known !== undefined) return known.result;
    const asking = turnThatAsks(state, request);
    if (asking === null) throw ApplicationFailure.nonRetryable('this turn is over', 'TurnOver');
    const input = publishInput(state, asking.life, asking.stage, request);
    const result = await runner.publish(asking.stage.host, input);
    enqueue({ kind: 'published', requestId: request.requestId, result });
    return result;
  }

  // Timers do not go along with the state.
  const { resumeAt } = viewOf(state);
  if (resumeAt !== null) runner.run({ kind: 'arm_resume', at: resumeAt });
  const { pendingTrigger, place } = state;
  if (state.life === null && pendingTrigger !== null && place !== null) {
    enqueue({
      kind: 'observed',
      readAt: state.observedAt,
      open: true,
      closedAt: null,
      triggered: true,
      trigger: pendingTrigger,
      prs: [],
      place,
    });
  }

  // The button of Temporal's page: the run ends as by `destroy`, and what that takes is not cancelled with it.
  let isCancelled = false;
  CancellationScope.current().cancelRequested.catch(() => {
    isCancelled = true;
    enqueue({ kind: 'command', command: { kind: 'destroy' }, at: Date.now() });
  });
  return CancellationScope.nonCancellable(live);

  async function live(): Promise<RunOutcome | null> {
    for (;;) {
      const info = workflowInfo();
      const isFull = isFullNow();
      for (let event = mailbox.shift(); event !== undefined; event = mailbox.shift()) {
        const refusal = event.kind === 'command' ? refusalOf(state, event.command) : null;
        if (refusal !== null) refusals.set(handled + 1, refusal);
        const stepped = step(state, event, { now: Date.now(), random: Math.random, isFull });
        state = stepped.state;
        for (const command of stepped.commands) runner.run(command);
        handled += 1;
      }
      phaseShown.show(state);
      setCurrentDetails(
        detailsOf(state, info.continuedFromExecutionRunId === undefined ? undefined : begun.about),
      );
      if (isFull && state.life?.stage.kind === 'running' && state.life.turn.stop === null) {
        enqueue({ kind: 'history_full' });
        continue;
      }
      const over = phaseOf(state) === 'destroyed' || (isCancelled && state.life === null);
      const isToGoOn = info.continueAsNewSuggested || isUpgraded() || isFull;
      if (over || (isToGoOn && isQuiescent(state))) {
        await runner.settledRows();
        // What people are to be told of a run that goes on is said before this execution ends; it has a few tries.
        const isFree = (): boolean => allHandlersFinished() && (over || !runner.isTelling);
        if (!isFree()) await condition(() => isFree() || mailbox.length > 0);
        // From here to the end of the life nothing is awaited, so nothing that was accepted can be lost.
        if (mailbox.length > 0) continue;
        if (over && state.pendingTrigger === null) return outcomeOf(state);
        // Only here does a run go over to the program's next version: within an execution nothing has to stay compatible.
        const goOn = makeContinueAsNewFunc<typeof issueWorkflow>(
          isUpgraded() ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {},
        );
        await goOn({ ...begun, carried: over ? betweenLives(state) : state });
      }
      // An answer that is known already fills an execution, too, and is no event.
      await condition(() => mailbox.length > 0 || (!isFull && isFullNow()));
    }
  }

  function isFullNow(): boolean {
    const { maxEvents, maxSignals } = state.policy;
    const { historyLength, historySize } = workflowInfo();
    return historyLength > maxEvents || historySize > MAX_HISTORY_BYTES || signals > maxSignals;
  }

  /** Not before it was told something: whoever pins a run by hand would have it begin again and again. */
  function isUpgraded(): boolean {
    return workflowInfo().targetWorkerDeploymentVersionChanged && handled > 0;
  }
}

function commandRefused(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, 'CommandRefused');
}

function isEnding({ life }: IssueState): boolean {
  return life !== null && life.closing !== null;
}

/** The turn that an operator asked for begins when the containers have been put away. */
function isAboutToBegin({ life }: IssueState): boolean {
  return life?.stage.kind === 'frozen' && life.stage.afterArchive !== null;
}

/** The running turn that a request is of; `null` when that is over. */
function turnThatAsks(
  { life }: IssueState,
  { slug, turn }: OpenPrRequest,
): { readonly life: Life; readonly stage: Running } | null {
  if (life?.slug !== slug || life.turn.number !== turn || life.closing !== null) return null;
  return life.stage.kind === 'running' ? { life, stage: life.stage } : null;
}
