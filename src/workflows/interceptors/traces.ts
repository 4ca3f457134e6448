/** In the workflow bundle of a worker that traces. A workflow tells only what a traced message brought about. */
import { trace } from '@opentelemetry/api';
import { TRACE_HEADER } from '@temporalio/interceptors-opentelemetry/lib/instrumentation.js';
import {
  OpenTelemetryInboundInterceptor,
  OpenTelemetryInternalsInterceptor,
  OpenTelemetryOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/workflow/index.js';
import type { Headers } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/**
 * Queries and the validators of updates are left out: history does not have them, and a span draws its id from the
 * workflow's own `Math.random`, so a replay would go on with other numbers.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const within = new OpenTelemetryInboundInterceptor();
  const out = new OpenTelemetryOutboundInterceptor();
  return {
    inbound: [
      {
        execute: (input, next) => (isTraced(input) ? within.execute(input, next) : next(input)),
        handleSignal: (input, next) => (isTraced(input) ? within.handleSignal(input, next) : next(input)),
        handleUpdate: (input, next) => (isTraced(input) ? within.handleUpdate(input, next) : next(input)),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => (inSpan() ? out.scheduleActivity(input, next) : next(input)),
        scheduleLocalActivity: (input, next) =>
          inSpan() ? out.scheduleLocalActivity(input, next) : next(input),
        continueAsNew: (input, next) => (inSpan() ? out.continueAsNew(input, next) : next(input)),
      },
    ],
    internals: [new OpenTelemetryInternalsInterceptor()],
  };
};

function isTraced({ headers }: { readonly headers: Headers }): boolean {
  return TRACE_HEADER in headers;
}

function inSpan(): boolean {
  return trace.getActiveSpan() !== undefined;
}
