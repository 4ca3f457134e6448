import type { Observed, RunEvent, Trigger } from '../../domain/run/events.js';
import type { SubjectRef } from '../../domain/forge/issue.js';

/** An observation that holds the act which asks for a run. */
export type TriggerEvent = Observed & { readonly trigger: Trigger };

/** How the dispatcher reaches the workflow of a subject. Whatever these throw is "away": it is tried again later. */
export interface WorkflowGateway {
  /** To the life that runs now, whichever it is; `no_workflow` when there is none. */
  signal(subject: SubjectRef, event: RunEvent): Promise<'delivered' | 'no_workflow'>;
  /** To the life that runs now, else to a new one that this starts. For verified triggers only. */
  signalWithStart(subject: SubjectRef, event: TriggerEvent, about: RunDescription): Promise<void>;
  reachable(): Promise<boolean>;
}

/** What an operator reads beside the workflow in Temporal's UI. */
export interface RunDescription {
  readonly title: string;
  readonly url: string;
}
