/** The phase of a run in Temporal's list of workflows: search attributes. */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { phaseOf, reasonOf, silentSince } from './run/phase.js';
import type { IssueState } from './run/state.js';

/** Beside the reasons of frozen runs: what the run waits for is not here. */
const HOST_SILENT = 'host_silent';

export class PhaseShown {
  private shown = shownAtStart();

  /**
   * Each change is an event, so it is for when the machine has taken in all that came: of phases that follow one another at
   * once the last one counts.
   */
  show(state: IssueState): void {
    const { life } = state;
    // Between two lives: the list goes on to say how the last one ended.
    if (life === null) return;
    const attributes = {
      BottlePhase: [phaseOf(state)],
      BottleReason: [silentSince(state) === null ? (reasonOf(state) ?? 'none') : HOST_SILENT],
      BottleSlug: [life.slug],
      BottleAgent: [life.trigger.agent],
    };
    const shown = JSON.stringify(attributes);
    if (shown === this.shown) return;
    this.shown = shown;
    upsertSearchAttributes(attributes);
  }
}

/** What the workflow was started with, or what an earlier execution of it left: not shown again, each time is an event. */
function shownAtStart(): string {
  const all = workflowInfo().typedSearchAttributes.getAll();
  const shown = (name: string): unknown => all.find(({ key }) => key.name === name)?.value;
  return JSON.stringify({
    BottlePhase: [shown('BottlePhase')],
    BottleReason: [shown('BottleReason')],
    BottleSlug: [shown('BottleSlug')],
    BottleAgent: [shown('BottleAgent')],
  });
}
