/** What a run's workflow waits for, as Temporal's server knows it: no worker is asked. */
import type { WorkflowExecutionDescription } from '@temporalio/client';

export interface StepUnderWay {
  /** Name of the activity, such as `freezeBottle`. */
  readonly activity: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** What the attempt before ended with; may quote an agent. */
  readonly error: string | null;
}

/** A turn that is watched for the first time is no step: the phase says it. */
const WATCHING: readonly string[] = ['launchBottle', 'rehydrateBottle', 'reattachBottle'];
const MAX_ERROR = 500;

/** The step that was tried most often, `null` for none. */
export function stepUnderWay({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): StepUnderWay | null {
  const steps = (raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) => {
    const error = lastFailure?.message ?? '';
    return {
      activity: activityType?.name ?? 'unknown',
      attempt: attempt ?? 1,
      error: error === '' ? null : error.slice(0, MAX_ERROR),
    };
  });
  const shown = steps.filter(({ activity, attempt }) => attempt > 1 || !WATCHING.includes(activity));
  return shown.sort((a, b) => b.attempt - a.attempt)[0] ?? null;
}
