import assert from 'node:assert/strict';
import { SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { CarefulExporter } from '../../../../src/adapters/otlp/careful-exporter.js';

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];
const resultOf = (value: unknown): Result => value as Result;
const THERE = resultOf({ code: 0 });
const AWAY = resultOf({ code: 1, error: new Error('connect ECONNREFUSED') });
const CANARY = 'canary: rm -rf /';

describe('what leaves for the collector', () => {
  const lines: string[] = [];
  const log = {
    info: (_fields: object, message: string) => lines.push(message),
    warn: (_fields: object, message: string) => lines.push(message),
  };
  const tracerOver = (exporter: SpanExporter): ReturnType<BasicTracerProvider['getTracer']> =>
    new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(new CarefulExporter(exporter, log))],
    }).getTracer('test');

  it('is names, times, ids and numbers: no message of an error, no attribute that nobody knows', () => {
    const memory = new InMemorySpanExporter();
    const tracer = tracerOver(memory);
    const attributes = {
      temporalWorkflowId: 'gitea:alice/demo#1',
      'bot_bottle.turn': 1,
      'bot_bottle.list': [CANARY],
      memo: CANARY,
      temporalTerminateReason: CANARY,
    };
    const span = tracer.startSpan('RunActivity:launchBottle', { attributes, startTime: new Date(1_000) });
    // What a workflow knows of itself: the sink adds all of it, objects too.
    Object.assign((span as unknown as { attributes: object }).attributes, {
      searchAttributes: { Title: CANARY },
      runId: 'r',
    });
    span.recordException(new Error(CANARY));
    span.setStatus({ code: SpanStatusCode.ERROR, message: CANARY });
    span.addLink({ context: span.spanContext(), attributes: { text: CANARY } });
    span.end(new Date(3_000));
    const [told] = memory.getFinishedSpans();
    assert.ok(told !== undefined);
    assert.deepEqual(told.attributes, {
      temporalWorkflowId: 'gitea:alice/demo#1',
      'bot_bottle.turn': 1,
      runId: 'r',
    });
    assert.deepEqual([told.status, told.events], [{ code: SpanStatusCode.ERROR }, []]);
    assert.deepEqual(told.links, [{ context: span.spanContext() }]);
    assert.deepEqual(
      [told.startTime, told.endTime, told.duration],
      [
        [1, 0],
        [3, 0],
        [2, 0],
      ],
    );
    assert.equal(told.spanContext(), span.spanContext());
    assert.equal(JSON.stringify(told).includes('canary'), false);
  });

  it('is dropped while the collector is away, which is said once, and once when it is back', () => {
    let isAway = true;
    const tracer = tracerOver({
      export: (_spans, done) => {
        done(isAway ? AWAY : THERE);
      },
      shutdown: () => Promise.resolve(),
    });
    lines.length = 0;
    tracer.startSpan('one').end();
    tracer.startSpan('two').end();
    isAway = false;
    tracer.startSpan('three').end();
    tracer.startSpan('four').end();
    assert.deepEqual(lines, [
      'the collector takes no traces: they are dropped meanwhile',
      'the collector takes traces again',
    ]);
  });
});
