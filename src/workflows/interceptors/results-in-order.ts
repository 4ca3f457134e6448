/** In every workflow bundle: results of local activities take effect in the same order when they are replayed. */
import { CancellationScope, condition } from '@temporalio/workflow';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** More than conditions of these workflows wait for one another. */
const ROUNDS = 8;

/**
 * A workflow task is completed before a local activity has ended when it answers a query, or when most of its time is over.
 * What comes with the next task, and what other local activities come to, are activations of their own then. When that
 * is replayed they are one activation (sdk-core: `apply_next_wft_from_history` resolves by the markers of the next task),
 * whose effects would mix, and the workflow would stand still for nondeterminism. So a result is held back until
 * everything else of its activation has had its effects, and results are let through one after the other. One that comes
 * alone, as most do, is not held back: the rounds took a fifth of the worker's time (`lifecycle_ratio`), as the SDK keeps
 * a stack trace of every promise.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let earlier = Promise.resolve();
  let comesAlone = false;
  return {
    internals: [
      {
        activate(input, next) {
          const jobs = input.activation.jobs ?? [];
          comesAlone = jobs.length === 1 && jobs[0]?.resolveActivity?.isLocal === true;
          next(input);
        },
      },
    ],
    outbound: [
      {
        async scheduleLocalActivity(input, next) {
          try {
            return await next(input);
          } finally {
            if (!comesAlone) {
              earlier = earlier.then(effectsOfOthers);
              await earlier;
            }
          }
        },
      },
    ],
  };
};

/** The SDK looks at conditions in rounds until none has come true in one; code that waited for one resumes between two rounds. */
async function effectsOfOthers(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await nextRound();
}

function nextRound(): Promise<void> {
  // The first look is at once.
  let looks = 0;
  return CancellationScope.nonCancellable(() => condition(() => (looks += 1) > 1));
}
