import assert from 'node:assert/strict';
import { statusText } from '../../../src/cli/commands/status-text.js';
import type { RunSummary } from '../../../src/cli/base/orchestrator.js';
import { summary } from './run-summary.js';

const NOW = 1_000_000_000;
const RUNS = [
  summary({ lastCheckinAt: NOW - 180_000 }),
  summary({
    issue: 'alice/a-long-name#22',
    issueUrl: 'https://g.ex/a/long-name/issues/22',
    slug: 'implementer-alice-a-long-name-22-fghij',
    status: 'frozen',
    phase: 'frozen',
    reason: 'budget',
    detail: 'the run’s budget is used up: 20 of 20 turns\nraise it',
    lastCheckinAt: NOW - 5 * 86_400_000,
    bottles: ['default', 'node'],
    pr: 23,
    prUrl: 'https://g.ex/a/long-name/pulls/23',
  }),
];
const ADDRESS = '  https://git.example/a/b/issues/1';
const lines = (columns: number | null, runs = RUNS): string[] =>
  statusText(runs, { now: NOW, columns }).trimEnd().split('\n');

describe('the text of orchestrate status', () => {
  it('is the whole table where the terminal is wide enough, details below their runs', () => {
    const [header = '', first = '', address, second = '', ...details] = lines(200);
    assert.match(
      header,
      /^ISSUE +AGENT +BOTTLES +SLUG +BACKEND +GIT USER +STATUS +PHASE +REASON +CHECK-IN +PR$/,
    );
    for (const [name, cell] of [
      ['SLUG', 'implementer-alice-a-long-name-22-fghij'],
      ['BOTTLES', 'default,node'],
      ['GIT USER', 'Coder <coder@git.example>'],
      ['STATUS', 'frozen'],
      ['REASON', 'budget'],
      ['CHECK-IN', '5d ago'],
      ['PR', '#23'],
    ] as const)
      assert.ok(second.startsWith(cell, header.indexOf(name)), `${name}: ${second}`);
    assert.match(first, / 3m ago +-$/);
    assert.equal(address, ADDRESS);
    assert.deepEqual(details, [
      '  https://g.ex/a/long-name/issues/22  https://g.ex/a/long-name/pulls/23',
      '  the run’s budget is used up: 20 of 20 turns',
      '  raise it',
    ]);
    assert.deepEqual(lines(null), lines(200));
  });

  it('says what a run waits for, how often that was tried, and what the last try ended with', () => {
    const step = { activity: 'freezeBottle', attempt: 7, error: 'no Docker engine answers\n\u001b[2J' };
    assert.deepEqual(lines(200, [summary({ step })]).slice(2), [
      ADDRESS,
      '  waits for freezeBottle, attempt 7, after: no Docker engine answers \\u{1b}[2J',
    ]);
    const first = { activity: 'destroyBottle', attempt: 1, error: null };
    assert.deepEqual(lines(200, [summary({ step: first })]).slice(2), [
      ADDRESS,
      '  waits for destroyBottle, attempt 1',
    ]);
  });

  for (const columns of [40, 80, 120])
    it(`loses nothing in ${String(columns)} columns`, () => {
      const shown = lines(columns);
      assert.ok(
        shown.every((line) => line.length <= columns),
        shown.join('\n'),
      );
      const text = shown.join(' ').replace(/\s+/g, ' ');
      for (const { issue, slug, agent, bottles, backend, gitUser, status, issueUrl, prUrl } of RUNS)
        for (const part of [
          ...[issue ?? '-', slug, agent, bottles.join(','), backend, gitUser, status],
          ...[issueUrl, prUrl ?? '-'],
        ])
          assert.ok(text.includes(part), `${part} in ${text}`);
      for (const part of ['3m ago', 'budget', '5d ago', '#23', 'raise it'])
        assert.ok(text.includes(part), `${part} in ${text}`);
    });

  it('has the addresses of issue and pull request whole, in one line where they fit, and one of them once', () => {
    const pull = 'https://git.example/a/b/pulls/3';
    const addressesIn = (columns: number, change: Partial<RunSummary>): string[] =>
      lines(columns, [summary(change)]).filter((line) => line.includes('https:'));
    assert.deepEqual(addressesIn(120, { prUrl: pull }), [`${ADDRESS}  ${pull}`]);
    assert.deepEqual(addressesIn(60, { prUrl: pull }), [ADDRESS, `  ${pull}`]);
    assert.deepEqual(addressesIn(20, { prUrl: pull }), [ADDRESS, `  ${pull}`]);
    assert.deepEqual(addressesIn(120, { issueUrl: pull, prUrl: pull }), [`  ${pull}`]);
    assert.deepEqual(addressesIn(120, { issue: null, issueUrl: '/home/alice/demo' }), []);
    assert.doesNotMatch(
      lines(120, [summary({ issue: null, issueUrl: '/home/alice/demo' })]).join(),
      /\/home/,
    );
  });

  it('says of a row whose workflow did not answer that it is one', () => {
    const [, row, , , note] = lines(null, [summary({ stale: true })]);
    assert.match(row ?? '', /running \(stale\)/);
    assert.match(note ?? '', /^stale: .*row/);
    assert.doesNotMatch(lines(null).join('\n'), /stale/);
  });

  it('escapes what is not ours', () => {
    const hostile = summary({ detail: 'a\u001b[2Jb\r\nc', gitUser: 'x\u202e <y>' });
    for (const columns of [null, 60])
      assert.doesNotMatch(lines(columns, [hostile]).join(''), /[\p{Cc}\p{Cf}]/u);
  });
});
