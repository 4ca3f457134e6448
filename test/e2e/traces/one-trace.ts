import assert from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import { bundleFile } from '../../../src/adapters/temporal/workflow-source.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { attributeOf, type Collector, type ToldSpan } from '../../support/otlp/collector.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { BODY, collectorOfTraces, HEADER, TITLE, tracedStack, WORK } from './stack.js';

describe('traces', function () {
  this.timeout(240_000);
  let collector: Collector;
  const { stack, open } = tracedStack();
  before(() => {
    collector = collectorOfTraces();
  });

  it('lead from the delivery to what the sidecar did, in one trace without anybody’s words', async () => {
    const traced = await open(TITLE, `${BODY}\n\n${WORK}`);
    const { slug } = await traced.frozen(1, 'done');
    await traced.close();
    await replays(traced);
    const told = (name: string): ToldSpan => {
      const [span] = collector.named(name);
      assert.ok(
        span !== undefined,
        `${name} is not among ${collector.spans.map((one) => one.name).join(' ')}`,
      );
      return span;
    };
    await waitUntil(
      'the span of the workflow',
      () => collector.named('RunWorkflow:issueWorkflow').length > 0,
    );

    const calls = collector.spans.filter(({ name }) => name.startsWith('sidecar:'));
    const [opened] = calls.filter(({ name }) => name === 'sidecar:open_pr');
    assert.ok(opened !== undefined, calls.map(({ name }) => name).join(' '));
    const run = [
      'RunWorkflow:issueWorkflow',
      'SignalWithStartWorkflow:issueWorkflow',
      'dispatch',
      'delivery',
    ];
    const launch = ['RunActivity:launchBottle', 'StartActivity:launchBottle', ...run];
    assert.deepEqual(collector.wayOf(opened), ['sidecar:open_pr', ...launch]);
    const publishing = collector.spans.find(({ name }) => name.startsWith('RunActivity:publish'));
    assert.ok(publishing !== undefined);
    const { traceId } = told('RunWorkflow:issueWorkflow');
    assert.deepEqual(
      [...calls, publishing, told('RunActivity:launchBottle')].map((span) => span.traceId),
      [...calls, publishing, '-'].map(() => traceId),
    );
    assert.deepEqual(collector.wayOf(publishing).slice(-4), run);
    const update = told('StartWorkflowUpdate:openPr');
    assert.deepEqual(collector.wayOf(update).slice(1), launch);

    // It ended before the answer to `open_pr` was given, and took as long as the publishing at least.
    const took = (span: ToldSpan): bigint => BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
    assert.ok(took(opened) >= took(publishing) - 50_000_000n, `${String(took(opened))} ns`);
    assert.equal(attributeOf(opened.attributes, 'bot_bottle.slug'), slug);
    const delivery = collector.spans.find((span) => span.traceId === traceId && span.name === 'delivery');
    assert.ok(delivery !== undefined);
    assert.equal(attributeOf(delivery.attributes, 'bot_bottle.repository'), 'alice/demo');
    assert.match(String(attributeOf(delivery.attributes, 'bot_bottle.delivery')), /^[0-9a-f-]{36}$/);
    assert.deepEqual([delivery.service, opened.service], ['bot-bottle-webhook', 'bot-bottle-worker']);

    assert.equal(collector.headers.authorization, HEADER);
    const { sidecarToken, publisherToken } = stack().gitea.bot;
    for (const canary of [TITLE, BODY, HEADER, sidecarToken, publisherToken, stack().webhookSecret])
      assert.equal(collector.sent.includes(canary), false, canary);
  });
});

/** As after a crash of the worker, or of an operator who has turned tracing off. */
async function replays(life: Life): Promise<void> {
  const history = await life.client.workflow.getHandle(workflowIdOf(life.subject)).fetchHistory();
  assert.ok(JSON.stringify(history).includes('_tracer-data'));
  for (const traces of [true, false]) {
    const codePath = bundleFile({ encrypts: false, traces }).replace('/src/', '/dist/');
    const sinks = { exporter: { export: { fn: () => undefined } } };
    await Worker.runReplayHistory({ workflowBundle: { codePath }, sinks }, history);
  }
}
