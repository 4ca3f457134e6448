import assert from 'node:assert/strict';
import { COMMENT_BYTES, renderEvents, withQuote } from '../../../../src/domain/prompt/prompt-events.js';
import type { PromptEvent } from '../../../../src/domain/prompt/prompt-input.js';
import { utf8Length } from '../../../../src/domain/text/untrusted-text.js';

const ENOUGH = 1_000_000;
const comment = (body: string, change: { again?: boolean } = {}): PromptEvent => ({
  ...{ kind: 'comment', number: 12, author: 'bob', at: 'now', body },
  ...change,
});

describe('a quotation below a line of ours', () => {
  it('says when there is nothing to quote, and what was removed', () => {
    assert.equal(withQuote('Said', 'a\nb', 100), 'Said:\n\n> a\n> b');
    assert.equal(withQuote('Said', ' \n', 100), 'Said: no text');
    assert.equal(
      withQuote('Said', '<!-- x -->\u200b', 100),
      'Said (1 hidden character and 1 HTML comment removed): no text',
    );
  });

  it('is cut when it is longer than it may be, and not before', () => {
    assert.equal(withQuote('Said', 'x'.repeat(8), 10), `Said:\n\n> ${'x'.repeat(8)}`);
    assert.equal(
      withQuote('Said', `${'x'.repeat(9)}\u200b`, 10),
      `Said (1 hidden character removed; shortened: the first 10 of 11 bytes):\n\n> ${'x'.repeat(8)}`,
    );
  });
});

describe('events in a prompt', () => {
  it('are nothing without one', () => {
    assert.equal(renderEvents([], ENOUGH), '');
  });

  it('say how many older ones there were', () => {
    const left = (n: number): string => renderEvents([comment('x')], ENOUGH, n).split('\n')[0] ?? '';
    assert.equal(left(1), '(1 older event is left out here for length.)');
    assert.equal(left(2), '(2 older events are left out here for length.)');
    assert.equal(left(0), '## Comment on #12 by bob, now:');
  });

  it('fit into what is left, to the byte', () => {
    const events = [comment('x'.repeat(100)), comment('second')];
    const whole = renderEvents(events, ENOUGH);
    const needed = utf8Length(whole) + 4;
    assert.equal(renderEvents(events, needed), whole);
    const less = renderEvents(events, needed - 1);
    assert.match(less, /^\(1 older event is left out here for length\.\)\n\n## Comment.*\n\n> second$/);
    assert.equal(renderEvents(events, 10), '(2 older events are left out here for length.)');
  });

  it('are shortened, the oldest first, before one is left out', () => {
    const events = Array.from({ length: 3 }, (_, at) => comment(`e${String(at)} ${'x'.repeat(2_000)}`));
    const lengths = renderEvents(events, 4_800)
      .split('\n')
      .filter((line) => line.startsWith('> '))
      .map((line) => line.length);
    assert.deepEqual(lengths, [512, 2_005, 2_005]);
  });

  it('are comments, reviews, remarks and pushes, each with its own heading', () => {
    const by = { number: 13, author: 'bob', at: 'now' };
    const remark = { path: 'src/a.ts', line: 7, body: 'Why?' };
    const review = (state: 'approved' | 'changes_requested' | 'commented', body: string): PromptEvent => ({
      ...{ kind: 'review', ...by, state, body },
      comments: [remark, { ...remark, line: 9, body: 'And?' }],
    });
    for (const [event, text] of [
      [comment('Hi.'), '## Comment on #12 by bob, now:\n\n> Hi.'],
      [
        comment('Hi.', { again: true }),
        '## Comment on #12 by bob, now, which an earlier prompt of yours had, too:\n\n> Hi.',
      ],
      [
        review('approved', 'Good.'),
        '## Review of #13 (approved) by bob, now:\n\n> Good.\n>\n> [src/a.ts:7]\n> Why?\n>\n> [src/a.ts:9]\n> And?',
      ],
      [
        review('commented', ''),
        '## Review of #13 (comment) by bob, now:\n\n> [src/a.ts:7]\n> Why?\n>\n> [src/a.ts:9]\n> And?',
      ],
      [
        { kind: 'inline', ...by, ...remark } as const,
        '## Comment on src/a.ts:7 of #13 by bob, now:\n\n> Why?',
      ],
      [
        { kind: 'push', ...by, sha: 'c0ffee' } as const,
        '## New commits on #13 by bob, now: head is now c0ffee',
      ],
    ] as const)
      assert.equal(renderEvents([event], ENOUGH), text);
    assert.match(renderEvents([review('changes_requested', '')], ENOUGH), /\(changes requested\)/);
  });

  it('are failed checks: what failed first, then their logs', () => {
    const check = { state: 'failure', description: 'after 3s', url: '/jobs/1', log: 'Error 1\n' };
    const checks = (more: number, log = check.log): PromptEvent => ({
      ...{ kind: 'checks', number: 13, sha: 'c0ffee', more },
      failed: [
        { ...check, name: 'build', log },
        { ...check, name: 'lint', description: '', url: '', log: null },
      ],
    });
    const [heading, ...quoted] = renderEvents([checks(3)], ENOUGH).split('\n\n');
    assert.match(heading ?? '', /^## Failed checks of #13 at c0ffee, your last push; .*CI's output.*:$/);
    assert.deepEqual(quoted.join('\n\n').split('\n'), [
      ...[
        '> [build] failure',
        '> after 3s',
        '> /jobs/1',
        '>',
        '> [lint] failure',
        '>',
        '> … and 3 more',
        '>',
      ],
      ...['> The end of the log of [build]:', '> Error 1'],
    ]);
    assert.doesNotMatch(renderEvents([checks(0)], ENOUGH), / more/);
    const long = renderEvents([checks(0, 'x'.repeat(2 * COMMENT_BYTES))], ENOUGH);
    assert.ok(utf8Length(long) < COMMENT_BYTES + 500 && long.includes('> [lint] failure'));
  });
});
