/** In every workflow bundle: a signal that the SDK would fail on becomes one that the workflow does not know. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { TEMPORAL_RESERVED_PREFIX } from '@temporalio/common/lib/reserved.js';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/**
 * Anybody can send any name and any payload with Temporal's own tools. The SDK throws at some of them before a handler is
 * called, and history keeps the signal: each task of the run would fail, for ever. What only a codec can read was decoded
 * before this, or cannot be (`workerCodec`), or has failed the task, which is done again when the key is there.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      activate(input, next) {
        for (const { signalWorkflow: signal } of input.activation.jobs ?? []) {
          if (!signal) continue;
          if (signal.signalName?.startsWith(TEMPORAL_RESERVED_PREFIX) === true)
            signal.signalName = `?${signal.signalName}`;
          if (!(signal.input ?? []).every(isReadable)) signal.input = [];
          // Of traces, where those are on.
          const headers = Object.entries(signal.headers ?? {});
          signal.headers = Object.fromEntries(headers.filter(([, payload]) => isReadable(payload)));
        }
        next(input);
      },
    },
  ],
});

function isReadable(payload: Payload): boolean {
  try {
    defaultPayloadConverter.fromPayload(payload);
    return true;
  } catch {
    return false;
  }
}
