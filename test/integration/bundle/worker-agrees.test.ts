import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { runLayout } from '../../../src/adapters/files/run/run-layout.js';
import { AnswerReader } from '../../../src/bundle/answer-reader.js';
import { readBundleConfig } from '../../../src/bundle/config.js';
import { MAX_TOTALS, type EgressTotals } from '../../../src/domain/egress/totals.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { inertText } from '../../../src/domain/text/inert-text.js';
import { MAX_USE, NO_USE, type ModelReport } from '../../../src/domain/run/model-use.js';
import type { QueueBody } from '../../../src/domain/run/queue.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';

/** As many lines as there ever are, with the longest names. */
function fullTotals(): EgressTotals {
  const hosts = Array.from(
    { length: MAX_TOTALS + 1 },
    (_, at) => `${String(at).padStart(4, '0')}${'x'.repeat(249)}`,
  );
  const most = Number.MAX_SAFE_INTEGER;
  return {
    hosts: hosts.map((host) => ({
      host,
      route: 'r'.repeat(63),
      connections: most,
      bytesUp: most,
      bytesDown: most,
    })),
    refusals: hosts.map((host) => ({ host, count: most })),
  };
}

const SLUG = 'dev-alice-demo-1-abcde';

const MODEL_REPORTS: readonly ModelReport[] = [
  { use: NO_USE, trouble: null },
  {
    use: { ...NO_USE, requests: 1, microUsd: MAX_USE },
    trouble: { kind: 'limited', until: Date.now() + 1000 },
  },
  { use: NO_USE, trouble: { kind: 'overloaded', status: 0 } },
  { use: NO_USE, trouble: { kind: 'refused', status: 401 } },
  { use: NO_USE, trouble: { kind: 'over_budget', what: 'money' } },
];

describe('the two ends of the queue', () => {
  let run: RunDirectory;
  let worker: LocalQueueDirectory;
  beforeEach(() => {
    run = new RunDirectory();
    worker = new LocalQueueDirectory({ home: run.root, bundleUid: process.getuid?.() ?? 0 });
  });
  afterEach(() => {
    run.remove();
  });

  it('agree on messages, answers and the turn file', async () => {
    const layout = runLayout(run.root, SLUG);
    mkdirSync(layout.queueOut, { recursive: true });
    mkdirSync(layout.queueIn, { recursive: true });
    const head = { slug: SLUG, turn: 3, at: 5 };
    const line = {
      id: 'p-1',
      at: 4,
      operation: 'read_issue',
      target: '#1',
      outcome: 'ok',
      text: 'read issue #1',
    } as const;
    const bodies: QueueBody[] = [
      { kind: 'operations', ...head, lines: [line] },
      { kind: 'open_pr', ...head, title: 'T', body: '' },
      // As long as a comment may be once it is inert, of characters that JSON escapes or has in several bytes.
      { kind: 'text', ...head, where: 'the comment on #12', text: inertText('"@'.repeat(30_000), null) },
      { kind: 'text', ...head, where: 'the description of #12', text: '"'.repeat(60_000) },
      { kind: 'egress', ...head, process: 'abcd1234', ...fullTotals(), lastSuccessAt: null, model: null },
      ...MODEL_REPORTS.map((model): QueueBody => ({
        ...{ kind: 'egress', ...head, process: 'abcd1234', hosts: [], refusals: [], lastSuccessAt: 4 },
        model,
      })),
      { kind: 'done', ...head, status: 'blocked', summary: 'why "so"\n' },
    ];
    const queue = new QueueWriter(layout.queueOut, Date.now);
    for (const [n, body] of bodies.entries()) await queue.write(`message${String(n)}`, body);
    const read = await worker.read(SLUG);
    assert.deepEqual(
      read.messages.map(({ id, body }) => [id, body]),
      bodies.map((body, n) => [`message${String(n)}`, body]),
    );

    const answers = new AnswerReader(layout.queueIn);
    const never = new AbortController().signal;
    const result = { kind: 'published', pr: 7, url: 'http://x/7', head: 'a'.repeat(40) } as const;
    await worker.answer(SLUG, { requestId: 'message1', result });
    assert.deepEqual(await answers.wait('message1', never), result);

    for (const result of [
      { kind: 'clean' },
      { kind: 'secret', reason: 'because' },
      { kind: 'unchecked', reason: 'it failed' },
    ] as const) {
      await worker.answer(SLUG, { requestId: 'message2', result });
      assert.deepEqual(await answers.wait('message2', never), result);
      await worker.retract(SLUG, 'message2');
      await worker.retract(SLUG, 'message2');
    }
    assert.deepEqual(readdirSync(layout.queueIn), ['message1.json']);
    await assert.rejects(worker.retract(SLUG, '../message1'), InvalidInputError);

    const budget = { tokens: 5, microUsd: null };
    const place = { owner: 'carol', repo: 'moved' };
    await worker.writeTurnHeader(SLUG, {
      turn: 3,
      goesOnWith: 2,
      prNumber: 7,
      ...place,
      budget,
      uploadBytes: 9,
      prices: 'm-*=1:2, n=3:4:0.5',
      readers: ['Alice', 'bot'],
    });
    cpSync(layout.queueIn, join(run.root, 'in'), { recursive: true });
    const config = readBundleConfig({
      BUNDLE_RUN_DIR: run.root,
      BOTTLE_SLUG: SLUG,
      FORGE_GITEA_API: 'http://x',
      FORGE_OWNER: 'alice',
      FORGE_REPO: 'demo',
      FORGE_ISSUE_NUMBER: '1',
    });
    assert.deepEqual(
      [config.turn, config.goesOnWith, config.pr, config.owner, config.repo],
      [3, 2, 7, 'carol', 'moved'],
    );
    assert.deepEqual(config.budget, budget);
    assert.equal(config.egressUploadBytes, 9);
    assert.deepEqual(config.readers, new Set(['alice', 'bot']));
    assert.deepEqual(config.prices, [
      ['m-*', { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 }],
      ['n', { input: 3, output: 4, cacheRead: 0.5, cacheWrite: 3 }],
    ]);
  });
});
