import { TRACE_HEADER } from '@temporalio/interceptors-opentelemetry/lib/instrumentation.js';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import type { StartedTracing } from './start-tracing.js';

/** Activities that a traced workflow asked for are spans; its own come out of its sandbox by the sink. */
export function workerTracing({
  processor,
  resource,
}: StartedTracing): Pick<WorkerOptions, 'interceptors' | 'sinks'> {
  return {
    interceptors: {
      activity: [
        (about) => {
          const traced = new OpenTelemetryActivityInboundInterceptor(about);
          return {
            inbound: {
              execute: (input, next) =>
                TRACE_HEADER in input.headers ? traced.execute(input, next) : next(input),
            },
          };
        },
      ],
    },
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
  };
}
