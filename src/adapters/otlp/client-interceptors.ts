import { trace } from '@opentelemetry/api';
import type { ClientInterceptors, WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';

/** What is sent to a workflow from within a span carries it. What nobody traces begins no trace of its own. */
export function clientInterceptors(): ClientInterceptors {
  const traced = new OpenTelemetryWorkflowClientInterceptor();
  const isTraced = (): boolean => trace.getActiveSpan() !== undefined;
  const workflow: WorkflowClientInterceptor = {
    signal: (input, next) => (isTraced() ? traced.signal(input, next) : next(input)),
    signalWithStart: (input, next) => (isTraced() ? traced.signalWithStart(input, next) : next(input)),
    startUpdate: (input, next) => (isTraced() ? traced.startUpdate(input, next) : next(input)),
  };
  return { workflow: [workflow] };
}
