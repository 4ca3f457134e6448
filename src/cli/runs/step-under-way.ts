/** What a run's workflow waits for, as Temporal's server knows it: no worker is asked. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { WATCHING } from '../../workflows/messages.js';
import type { StepUnderWay } from '../base/orchestrator.js';

const MAX_ERROR = 500;

/** The step that was tried most often, `null` for none. Errors: those of the client's payload codec. */
export async function stepUnderWay(
  client: Client,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<StepUnderWay | null> {
  const { loadedDataConverter } = client.options;
  const steps = await Promise.all(
    (raw.pendingActivities ?? []).map(async ({ activityType, attempt, lastFailure }) => {
      // The client decodes what it hands out itself; this it hands out as it came.
      const failure = await decodeOptionalFailureToOptionalError(loadedDataConverter, lastFailure);
      const error = failure?.message ?? '';
      return {
        activity: activityType?.name ?? 'unknown',
        attempt: attempt ?? 1,
        error: error === '' ? null : error.slice(0, MAX_ERROR),
      };
    }),
  );
  // A turn that is watched for the first time is no step: the phase says it.
  const shown = steps.filter(({ activity, attempt }) => attempt > 1 || !WATCHING.includes(activity));
  return shown.sort((a, b) => b.attempt - a.attempt)[0] ?? null;
}
