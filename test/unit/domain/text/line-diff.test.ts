import assert from 'node:assert/strict';
import { lineDiff } from '../../../../src/domain/text/line-diff.js';

const text = (...lines: readonly (string | number)[]): string =>
  lines.map((line) => `${String(line)}\n`).join('');
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What `patch` would make of it; fails when a line that should be there is not. */
function applied(before: string, diff: string): string {
  const old = before.split('\n');
  const made: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1);
      made.push(...old.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) made.push(line.slice(1));
    else {
      assert.equal(line.slice(1), old[at]);
      if (line.startsWith(' ')) made.push(line.slice(1));
      at += 1;
    }
  }
  return [...made, ...old.slice(at)].join('\n');
}

/** Length of the longest common subsequence, by its definition. */
function mostKept(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0);
  for (const one of a) {
    const next: number[] = [];
    for (const [at, other] of b.entries())
      next.push(one === other ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('a difference line by line', () => {
  it('is nothing between equal texts', () => {
    assert.equal(lineDiff('', ''), '');
    assert.equal(lineDiff('a\n', 'a\n'), '');
  });

  it('shows what was added and removed with three lines around it', () => {
    const before = text(...numbers(1, 20));
    const after = text(...numbers(1, 4), 'new', ...numbers(5, 17), 'other', ...numbers(19, 20));
    assert.equal(
      lineDiff(before, after),
      text('@@ -2,6 +2,7 @@', ' 2', ' 3', ' 4', '+new', ' 5', ' 6', ' 7') +
        text('@@ -15,6 +16,6 @@', ' 15', ' 16', ' 17', '-18', '+other', ' 19', ' 20'),
    );
  });

  it('joins changes whose surroundings meet', () => {
    const before = text(...numbers(1, 9));
    const after = text('x', ...numbers(2, 7), 'y', 9);
    const diff = text('-1', '+x', ' 2', ' 3', ' 4', ' 5', ' 6', ' 7', '-8', '+y', ' 9');
    assert.equal(lineDiff(before, after), text('@@ -1,9 +1,9 @@') + diff);
  });

  it('counts as diff -u does where one side has nothing, or one line', () => {
    assert.equal(lineDiff('', 'a\nb\n'), text('@@ -0,0 +1,2 @@', '+a', '+b'));
    assert.equal(lineDiff('a\n', ''), text('@@ -1 +0,0 @@', '-a'));
  });

  it('is as short as can be, whatever comes and goes', () => {
    for (const [a, b] of [
      ['abcdefg', 'bdfg'],
      ['bdfg', 'abcdefg'],
      ['abcabba', 'cbabac'],
      ['xaxbxc', 'abc'],
      ['abcxyz', 'xyzabcd'],
      ['aabb', 'bbaa'],
      ['ba', 'cdb'],
      ['babd', 'ab'],
      ['bdad', 'aba'],
    ].map((pair) => pair.map((word) => Array.from(word))) as [string[], string[]][]) {
      const changed = lineDiff(text(...a), text(...b)).match(/^[+-]/gm)?.length ?? 0;
      assert.equal(changed, a.length + b.length - 2 * mostKept(a, b), `${a.join('')} ${b.join('')}`);
    }
  });

  it('shows only what changed in texts that are long and nearly the same', () => {
    const lines = numbers(1, 3_000);
    const change = (at: number): string => text(...lines.map((line) => (line === at ? 'new' : line)));
    assert.equal(
      lineDiff(text(...lines), change(1_500)),
      text('@@ -1497,7 +1497,7 @@', ' 1497', ' 1498', ' 1499', '-1500', '+new', ' 1501', ' 1502', ' 1503'),
    );
    assert.equal(
      lineDiff(text(...lines), text(...lines.slice(0, -1))),
      text('@@ -2997,4 +2997,3 @@', ' 2997', ' 2998', ' 2999', '-3000'),
    );
    assert.equal(lineDiff(text('a', 'a'), text('a', 'a', 'a')), text('@@ -1,2 +1,3 @@', ' a', ' a', '+a'));
  });

  it('tells a last line without a newline', () => {
    const mark = '\\ No newline at end of file';
    assert.equal(lineDiff('a', 'a\n'), text('@@ -1 +1 @@', '-a', mark, '+a'));
  });

  it('finds the lines that stayed, in whatever order others come and go', () => {
    assert.equal(
      lineDiff(text('a', 'b', 'c', 'd'), text('b', 'x', 'd', 'e')),
      text('@@ -1,4 +1,4 @@', '-a', ' b', '-c', '+x', ' d', '+e'),
    );
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [0, 0].map(() =>
        text(...Array.from({ length: random(30) }, () => 'abcdef'[random(6)] ?? '')),
      ) as [string, string];
      assert.equal(applied(before, lineDiff(before, after)), after, JSON.stringify([before, after]));
    }
  });

  it('of texts that are too long to compare is all of one and all of the other', () => {
    const before = text('same', ...numbers(1, 1_500));
    const after = text('same', ...numbers(1, 1_500).reverse());
    const diff = lineDiff(before, after).split('\n');
    assert.equal(diff[0], '@@ -1,1501 +1,1501 @@');
    assert.deepEqual(
      diff.slice(2, 1_502),
      numbers(1, 1_500).map((n) => `-${String(n)}`),
    );
    assert.equal(applied(before, diff.join('\n')), after);
  });

  it('is soon there for the largest files that can be proposed', () => {
    const [before, after] = ['a\n', 'b\n'].map((line) => line.repeat(32_768)) as [string, string];
    const from = process.cpuUsage();
    assert.equal(lineDiff(before, after).split('\n').length, 65_538);
    assert.ok(process.cpuUsage(from).user < 1_500_000);
  });
});
