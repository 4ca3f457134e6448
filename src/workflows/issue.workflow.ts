/** One workflow per issue: handlers enqueue, one loop drains the mailbox through the pure machine. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { MachineEvent, OperatorCommand } from '../domain/events.js';
import type { PublishResult } from '../domain/turn.js';
import { CommandRunner } from './command-runner.js';
import { isHistoryFull } from './history-limit.js';
import { initialState, isQuiescent, nextLife, refusalOf, step } from './issue-machine.js';
import {
  commandUpdate,
  eventSignal,
  openPrUpdate,
  stateQuery,
  timelineQuery,
  type IssueWorkflowInput,
  type OpenPrRequest,
} from './messages.js';
import { PhaseShown } from './phase-shown.js';
import { detailsOf, needed, viewOf } from './run-view.js';

export async function issueWorkflow(input: IssueWorkflowInput): Promise<void> {
  let state = input.carried ?? initialState(input.subject, input.policy, input.named ?? null);
  const mailbox: MachineEvent[] = [];
  let handled = 0;
  let received = 0;
  let signals = 0;
  const enqueue = (event: MachineEvent): number => {
    mailbox.push(event);
    return (received += 1);
  };
  const runner = new CommandRunner(() => state, enqueue);
  const phaseShown = new PhaseShown();

  setHandler(stateQuery, () => viewOf(state));
  setHandler(timelineQuery, () => state.timeline);
  setHandler(eventSignal, (event) => {
    signals += 1;
    enqueue(event);
  });
  setHandler(
    commandUpdate,
    async (command) => {
      const ticket = enqueue({ kind: 'command', command, at: Date.now() });
      await condition(() => handled >= ticket && !state.afterArchive);
      return { slug: state.life?.slug ?? null, phase: state.phase, turn: state.turn };
    },
    {
      validator: (command: OperatorCommand) => {
        const refusal = refusalOf(state, command);
        if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, 'CommandRefused');
      },
    },
  );
  setHandler(openPrUpdate, (request) => openPr(request), {
    validator: (request: OpenPrRequest) => {
      const isOurs = request.slug === state.life?.slug && request.turn === state.turn;
      if (isOurs && state.busy === 'run' && state.closing === null) return;
      throw ApplicationFailure.nonRetryable('this turn is over', 'TurnOver');
    },
  });

  async function openPr(request: OpenPrRequest): Promise<PublishResult> {
    const known = state.answers.find((answer) => answer.requestId === request.requestId);
    if (known !== undefined) return known.result;
    const result = await runner.publish(request);
    enqueue({ kind: 'published', requestId: request.requestId, result });
    return result;
  }

  // Timers do not go along with the state.
  if (state.phase === 'frozen' && state.resumeAt !== null)
    runner.run({ kind: 'arm_resume', at: state.resumeAt });
  const next = state.pendingTrigger;
  if (state.phase === 'idle' && next !== null) {
    enqueue({
      kind: 'observed',
      readAt: state.observedAt,
      open: true,
      closedAt: null,
      triggered: true,
      trigger: next,
      prs: [],
      place: needed(state.place, 'place'),
    });
  }

  for (;;) {
    for (let event = mailbox.shift(); event !== undefined; event = mailbox.shift()) {
      const stepped = step(state, event, { now: Date.now(), random: Math.random });
      state = stepped.state;
      for (const command of stepped.commands) runner.run(command);
      handled += 1;
    }
    phaseShown.show(state);
    setCurrentDetails(detailsOf(state));
    const info = workflowInfo();
    const isFull = isHistoryFull({ events: info.historyLength, signals }, state.policy);
    if (isFull && state.busy === 'run' && state.stopRequested === null) {
      enqueue({ kind: 'history_full' });
      continue;
    }
    const over = state.phase === 'destroyed';
    if (over || (info.continueAsNewSuggested && isQuiescent(state))) {
      await runner.settledRows();
      if (!allHandlersFinished()) await condition(() => allHandlersFinished() || mailbox.length > 0);
      // From here to the end of the life nothing is awaited, so nothing that was accepted can be lost.
      if (mailbox.length > 0) continue;
      if (over && state.pendingTrigger === null) return;
      await continueAsNew<typeof issueWorkflow>({ ...input, carried: over ? nextLife(state) : state });
    }
    await condition(() => mailbox.length > 0);
  }
}
