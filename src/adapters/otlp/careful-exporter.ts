import { SpanStatusCode, type Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../../domain/base/log.js';

/** Of the SDK's attributes, those that are ids. */
const IDS: ReadonlySet<string> = new Set([
  'workflowId',
  'runId',
  'temporalWorkflowId',
  'run_id',
  'temporalActivityId',
  'temporalUpdateId',
]);
const OURS = 'bot_bottle.';
const MAX_CHARACTERS = 300;

/**
 * Lets out of a span what is known to be harmless. The SDK's interceptors put messages and stacks of errors into it, and all
 * that a workflow knows of itself. A collector that is away is told once, and once when it is back.
 */
export class CarefulExporter implements SpanExporter {
  private isAway = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly log: Pick<Log, 'info' | 'warn'>,
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.inner.export(spans.map(withoutTexts), (result) => {
      this.tell(result.error);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  private tell(error: Error | undefined): void {
    if (this.isAway === (error !== undefined)) return;
    this.isAway = error !== undefined;
    if (error === undefined) this.log.info({}, 'the collector takes traces again');
    else
      this.log.warn({ reason: error.message }, 'the collector takes no traces: they are dropped meanwhile');
  }
}

function withoutTexts(span: ReadableSpan): ReadableSpan {
  const { name, kind, parentSpanId, startTime, endTime, duration, ended } = span;
  const { resource, instrumentationLibrary, links, status } = span;
  const spanContext = span.spanContext();
  return {
    name,
    kind,
    spanContext: () => spanContext,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    startTime,
    endTime,
    duration,
    ended,
    resource,
    instrumentationLibrary,
    status: { code: status.code === SpanStatusCode.ERROR ? status.code : SpanStatusCode.UNSET },
    attributes: harmless(span.attributes),
    links: links.map(({ context }) => ({ context })),
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function harmless(attributes: Attributes): Attributes {
  const kept: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!IDS.has(name) && !name.startsWith(OURS)) continue;
    if (typeof value === 'number') kept[name] = value;
    else if (typeof value === 'string') kept[name] = value.slice(0, MAX_CHARACTERS);
  }
  return kept;
}
