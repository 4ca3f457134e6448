import type { ClientInterceptors } from '@temporalio/client';
import type { StartedTracing } from '../adapters/otlp/start-tracing.js';
import type { Logger } from '../config/log.js';

export interface TracingOfEnvironment {
  readonly spans: StartedTracing;
  readonly client: ClientInterceptors;
}

/**
 * `undefined` unless the standard's variable names a collector; nothing of OpenTelemetry is loaded then.
 * @param service what the process is called in traces
 */
export async function tracingOfEnvironment(
  service: string,
  log: Logger,
): Promise<TracingOfEnvironment | undefined> {
  if (!process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) return undefined;
  const { startTracing } = await import('../adapters/otlp/start-tracing.js');
  const { clientInterceptors } = await import('../adapters/otlp/client-interceptors.js');
  const spans = startTracing(service, log);
  return { spans, client: clientInterceptors() };
}
