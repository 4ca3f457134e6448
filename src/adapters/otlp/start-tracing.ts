/** The one place that loads OpenTelemetry into a process: imported only when a collector is named. See ADR 0043. */
import { setTimeout as delay } from 'node:timers/promises';
import { propagation, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { OpenSpan, Tracing } from '../../domain/base/tracing.js';
import { CarefulExporter } from './careful-exporter.js';
import type { Log } from '../../domain/base/log.js';

/** What has not reached the collector by then is dropped, milliseconds. */
const FLUSH_MS = 2_000;

export interface StartedTracing extends Tracing {
  readonly processor: SpanProcessor;
  readonly resource: Resource;
  /** Sends what waits, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Once a process. Everything else is as the standard's variables say, `OTEL_EXPORTER_OTLP_…`, `OTEL_TRACES_SAMPLER`,
 * `OTEL_BSP_…` and `OTEL_RESOURCE_ATTRIBUTES` among them.
 * @param service what the process is called unless `OTEL_SERVICE_NAME` says otherwise
 */
export function startTracing(service: string, log: Pick<Log, 'info' | 'warn'>): StartedTracing {
  const { attributes: named } = detectResourcesSync({ detectors: [envDetectorSync] });
  const resource = new Resource({ 'service.name': service, ...named });
  const processor = new BatchSpanProcessor(new CarefulExporter(new OTLPTraceExporter(), log));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({ contextManager: new AsyncLocalStorageContextManager().enable() });
  const tracer = provider.getTracer('bot-bottle');
  return {
    processor,
    resource,
    begin: (name, attributes): OpenSpan => {
      const span = tracer.startSpan(name, { attributes, root: true });
      return {
        traceparent: traceparentOf(trace.setSpan(ROOT_CONTEXT, span)),
        end: () => {
          span.end();
        },
      };
    },
    during: async (name, attributes, causes, work) => {
      const [first = ROOT_CONTEXT, ...others] = causes.map(contextOf);
      const links = others.flatMap((other) => {
        const linked = trace.getSpanContext(other);
        return linked === undefined ? [] : [{ context: linked }];
      });
      return tracer.startActiveSpan(name, { attributes, links }, first, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      });
    },
    tell: (name, attributes, { from, to }) => {
      // Dates: a small number would be taken for milliseconds since the start of the process.
      tracer.startSpan(name, { attributes, startTime: new Date(from) }).end(new Date(to));
    },
    stop: async () => {
      await Promise.race([provider.shutdown().catch(() => undefined), delay(FLUSH_MS)]);
    },
  };
}

function traceparentOf(of: Context): string {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier);
  return carrier.traceparent ?? '';
}

function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}
