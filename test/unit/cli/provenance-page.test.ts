import assert from 'node:assert/strict';
import type { Columns, RecordedRow, RunRecord } from '../../../src/domain/provenance/record.js';
import { recordPage } from '../../../src/cli/provenance-page/page.js';

/** What breaks out of an element, an attribute, the style or a comment, and what reorders text. */
const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(1)></style>--><a href=javascript:x>\u202E&lt;`;

describe('the page of a record', () => {
  const detail = (text: string): string =>
    JSON.stringify({
      ...{ cause: text, host: text, provider: text, providerVersion: text, promptHash: text },
      ...{
        exitCode: 0,
        done: { status: text, summaryRef: text },
        sessionId: text,
        imageId: text,
        reason: text,
      },
      ...{ startedAt: 1_000, finishedAt: 61_000, stopped: text, watchdogFired: false, transcriptHash: text },
      model: { use: { requests: 3, inputTokens: 10, outputTokens: 5, microUsd: 1_500_000 } },
      egress: { hosts: [{ host: text }], refusals: [{ host: text }] },
      secretScans: [
        { scanner: text, outcome: 'clean', findings: 0, rules: [] },
        { scanner: text, outcome: 'found', findings: 2, rules: [text, 'other'] },
      ],
      published: [
        { pr: 6, head: text },
        { pr: 7, head: text },
      ],
      publish: { kind: 'published', pr: 7, prUrl: text, head: 'c'.repeat(40) },
    });
  const row = (source: RecordedRow['source'], columns: Columns): RecordedRow => ({ source, columns });
  const record = (text: string): RunRecord => ({
    slug: 'demo',
    phase: text,
    rows: [
      row('run', {
        ...{ slug: 'demo', subject: text, agentName: text, bottleNames: JSON.stringify([text]) },
        ...{ workflowId: text, triggerActor: text, triggerAt: 1_000, triggerActId: 3 },
      }),
      row('turn', { turn: 1, event: 'begun', at: 1_000, detail: detail(text) }),
      row('turn', { turn: 1, event: 'ended', at: 2_000, detail: detail(text) }),
      row('operation', {
        ...{ id: '1', turn: 1, at: 1_500, operation: text, target: text, outcome: 'refused', text },
      }),
      row('operatorCommand', { id: '1', at: 1_600, who: text, kind: text, detail: JSON.stringify({ text }) }),
      row('proposal', { id: 'a', turn: 1, at: 1_700, origin: text, tool: text, ref: text }),
      row('proposalDecision', { id: 'a', at: 1_800, who: text, status: text }),
    ],
    entries: [
      { seq: 1, slug: 'demo', n: 1, source: 'run', key: text, digest: text, previous: text, hash: text },
    ],
    seals: [{ slug: 'demo', n: 1, at: 1_900, reason: 'frozen', entries: 1, keyId: text, envelope: text }],
  });
  const page = (text: string): string =>
    recordPage(record(text), {
      at: 5_000,
      verdict: {
        ...{ slug: 'demo', entries: 1, sealed: 1, ended: false, pruned: false },
        problems: [{ kind: 'changed', what: text }],
      },
    });
  const tags = (document: string): string[] => document.match(/<[^>]*>/g) ?? [];

  it('has the same elements whatever is written in it', () => {
    assert.deepEqual(tags(page(HOSTILE)), tags(page('plain')));
    assert.ok(!page(HOSTILE).includes('\u202E'));
    assert.ok(page(HOSTILE).includes('\\u{202e}'));
  });

  it('loads nothing, runs nothing and leads nowhere', () => {
    const document = page(HOSTILE);
    assert.match(document, /default-src &#?39;?none|default-src 'none'/);
    assert.doesNotMatch(document, /<(script|img|link|iframe|object|a|form)\b/i);
    assert.doesNotMatch(tags(document).join(''), /\s(on\w+|src|href|style)=/i);
  });

  it('says what an auditor asks', () => {
    const document = page('something');
    for (const said of [
      'Triggered by',
      '1970-01-01 00:00:01 UTC, act 3 of the forge',
      '60 s',
      '3 requests, 10 tokens in, 5 out, 1.5000 USD, as metered',
      'something (refused)',
      'something, with the summary (SHA-256) something',
      'something: clean; something: found, 2 findings, something, other',
      'pull request #6, something; pull request #7, something',
      'published, pull request #7 something',
      'c'.repeat(40),
      'Not whole.',
      'changed: something',
      'bot-bottle provenance key --all',
    ])
      assert.ok(document.includes(said), said);
  });

  it('does not say that a turn goes on whose end nobody recorded', () => {
    const given = record('x');
    const rows = given.rows.filter(({ columns }) => columns['event'] !== 'ended');
    const verdict = { slug: 'demo', entries: 1, sealed: 1, ended: true, pruned: false, problems: [] };
    assert.match(recordPage({ ...given, rows }, { at: 0, verdict }), /Turn 1 \(no end is recorded\)/);
  });

  it('shows what an odd export holds, too', () => {
    const odd = record('x');
    const rows = odd.rows.map(({ source }) => row(source, { detail: 'no JSON', turn: null }));
    const document = recordPage(
      { ...odd, rows, phase: null, entries: [], seals: [] },
      {
        at: NaN,
        verdict: { slug: '', entries: 0, sealed: 0, ended: true, pruned: false, problems: [] },
      },
    );
    assert.match(document, /Whole: nothing was changed/);
  });
});
