import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import type { LogEntry } from '../../../../src/cli/logs/follow-run.js';
import { JsonLog } from '../../../../src/cli/logs/json-log.js';
import { LogRenderer, type Look } from '../../../../src/cli/logs/render-log.js';
import type { TurnEnd, TurnFacts } from '../../../../src/cli/base/run-logs.js';
import type { AgentEvent } from '../../../../src/domain/agent/agent-stream.js';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
const GOLDEN = `${FIXTURES}logs/`;
const AT = Date.parse('2026-11-21T11:00:00.000Z');
const PLAIN: Look = { columns: null, colors: false };
const TERMINAL: Look = { columns: 72, colors: true };

const facts = (name: string | null, more: Partial<TurnFacts> = {}): TurnFacts => ({
  provider: name === null ? null : { name, version: '1.2.3' },
  begunAt: AT,
  cause: 'first',
  end: null,
  ...more,
});
const END: TurnEnd = {
  at: AT + 90_000,
  exitCode: 0,
  reason: 'done',
  outcome: 'finished',
  done: 'success',
  stopped: null,
  reported: { inputTokens: 12_345, cachedTokens: 300, outputTokens: 37, usd: 0.00228 },
  metered: {
    requests: 4,
    failed: 1,
    inputTokens: 1_000,
    cacheReadTokens: 300,
    cacheWriteTokens: 40,
    outputTokens: 37,
    microUsd: 2_280,
  },
};

const begun = (name: string | null): LogEntry => ({ kind: 'turn_begun', turn: 1, facts: facts(name) });
const ended = (end: Partial<TurnEnd> = {}): LogEntry => ({
  kind: 'turn_ended',
  turn: 1,
  facts: facts('claude', { end: { ...END, ...end } }),
});
const line = (text: string, stream = 'stdout', second = 1): LogEntry => ({
  kind: 'line',
  turn: 1,
  line: `2026-11-21T11:00:${String(second).padStart(2, '0')}.123456789Z ${stream} ${text}`,
});
function recorded(file: string): LogEntry[] {
  const lines = readFileSync(`${FIXTURES}agents/${file}`, 'utf8').trimEnd().split('\n');
  return lines.map((text, index) => line(text, 'stdout', index));
}

const withReaders = (name: string): { readonly reader: () => ReturnType<typeof readerOf> } => ({
  reader: () => readerOf(name),
});
function readerOf(name: string): ReturnType<ReturnType<typeof agentProvider>['reader']> {
  return agentProvider(name).reader();
}

function rendered(name: string, entries: readonly LogEntry[], look: Look): string {
  const renderer = new LogRenderer(withReaders(name), () => look);
  return entries.map((entry) => renderer.render(entry)).join('');
}
/** Of a provider whose lines are events themselves. */
function renderedEvents(events: readonly AgentEvent[], look: Look): string {
  const reader = {
    reader: () => ({
      read: (_: string, text: string) => [JSON.parse(text) as AgentEvent],
      summary: () => assert.fail(),
    }),
  };
  const renderer = new LogRenderer(reader, () => look);
  const lines = events.map((event, index) => line(JSON.stringify(event), 'stdout', index));
  return [begun('any'), ...lines].map((entry) => renderer.render(entry)).join('');
}

const LONG = 'A sentence that is longer than the terminal is wide is broken between its words, not in them. ';
const EVENTS: readonly AgentEvent[] = [
  { kind: 'session', id: '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94' },
  { kind: 'session', id: '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94' },
  { kind: 'thinking', text: 'Let me see.\n\tAn indented line.' },
  {
    kind: 'text',
    text: `${LONG}${'x'.repeat(120)} 見出しは二桁の幅を取る文字で書かれている場合もある、例えばこのように。`,
  },
  { kind: 'tool_call', id: 'a', tool: 'Bash', input: `{"command":"${'echo hello; '.repeat(40)}"}` },
  { kind: 'tool_result', id: 'a', isError: false, output: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight' },
  { kind: 'tool_result', id: 'b', isError: false, output: '' },
  { kind: 'tool_result', id: 'c', isError: true, output: 'no such file' },
  { kind: 'denied', tool: 'WebFetch' },
  { kind: 'error', text: 'the model did not answer: overloaded (529); trying again' },
  { kind: 'progress' },
  { kind: 'usage', reported: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd: null } },
  { kind: 'end', outcome: 'failed', text: 'it did not work' },
];

/** What people see, by the name of the file with the text. */
const CASES: Readonly<Record<string, string>> = {
  'claude-work': rendered('claude', [begun('claude'), ...recorded('claude/work.jsonl'), ended()], PLAIN),
  'codex-work': rendered('codex', [begun('codex'), ...recorded('codex/work.jsonl'), ended()], PLAIN),
  'every-event': renderedEvents(EVENTS, PLAIN),
  'every-event-in-a-terminal': renderedEvents(EVENTS, TERMINAL),
  'lines-that-are-no-event': rendered(
    'claude',
    [
      begun('claude'),
      line('setup: npm ci', 'stderr'),
      line('plain text \u001b[31mred\u001b[0m \u202e reversed'),
      line(''),
      { kind: 'line', turn: 1, line: '- host the log is full; further output of this turn is not kept' },
      { kind: 'line', turn: 1, line: 'not a line of the log' },
      { kind: 'no_log', turn: 1 },
      ended({
        exitCode: 137,
        outcome: 'stopped',
        reason: 'timeout',
        stopped: 'timeout',
        done: null,
        metered: null,
        reported: null,
      }),
      { kind: 'waiting' },
    ],
    PLAIN,
  ),
};

describe('the log of a run for people', () => {
  before(() => {
    if (process.env['BOT_BOTTLE_RECORD_LOGS'] === undefined) return;
    mkdirSync(GOLDEN, { recursive: true });
    for (const [name, text] of Object.entries(CASES)) writeFileSync(`${GOLDEN}${name}.txt`, text);
  });

  for (const [name, text] of Object.entries(CASES)) {
    it(`is as in test/fixtures/logs/${name}.txt`, () => {
      const file = `${GOLDEN}${name}.txt`;
      assert.equal(text, readFileSync(file, 'utf8'));
    });
  }

  it('shows the lines as they are of a provider that nobody can read', () => {
    const renderer = new LogRenderer({ reader: () => undefined }, () => PLAIN);
    const text = [begun('other'), line('{"type":"text"}'), begun(null)]
      .map((entry) => renderer.render(entry))
      .join('');
    assert.match(text, /no reader for other 1\.2\.3: its lines as they are/);
    assert.match(text, /output {4}\{"type":"text"\}/);
    assert.match(text, /no reader for its provider/);
  });

  it('hands nothing on that acts on a terminal, and is never wider than it, whatever the agent prints', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 300, size: 'max' });
    const kinds: readonly AgentEvent['kind'][] = [
      'text',
      'thinking',
      'error',
      'denied',
      'tool_call',
      'tool_result',
      'end',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        anyText,
        fc.integer({ min: 1, max: 200 }),
        (kind, text, columns) => {
          const event = {
            kind,
            text,
            tool: text,
            input: text,
            output: text,
            id: text,
            isError: false,
            outcome: 'failed',
          };
          const shown = renderedEvents([event as AgentEvent], { columns, colors: false });
          assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}]/u);
          const plain = rendered('claude', [begun('claude'), line(text.replaceAll('\n', ' '))], {
            columns,
            colors: false,
          });
          assert.doesNotMatch(plain.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}]/u);
        },
      ),
    );
  });

  it('has no colour without a terminal, and each colour ends in its line', () => {
    assert.ok(!CASES['every-event']?.includes('\u001b'));
    for (const one of (CASES['every-event-in-a-terminal'] ?? '').split('\n')) {
      const codes = one.match(/\u001b\[\d+m/g) ?? [];
      assert.equal(codes.length % 2, 0, one);
      if (codes.length > 0) assert.equal(codes.at(-1), '\u001b[0m');
    }
  });
});

describe('the log of a run as JSON', () => {
  it('is an object for each event, and for each line that is none', () => {
    const log = new JsonLog(withReaders('claude'));
    const objects = [
      begun('claude'),
      ...recorded('claude/work.jsonl'),
      line('plain', 'stderr'),
      ended(),
    ].flatMap((entry) => log.objectsOf(entry)) as {
      readonly kind: string;
      readonly turn: number;
      readonly at: string;
    }[];
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      [
        'turn_begun',
        'session',
        'thinking',
        'text',
        'tool_call',
        'tool_result',
        'tool_call',
        'tool_result',
        'tool_call',
        'tool_result',
        'text',
        'usage',
        'end',
        'line',
        'turn_ended',
      ],
    );
    assert.ok(objects.every(({ turn, at }) => turn === 1 && at.startsWith('2026-11-21T11:0')));
    assert.deepEqual(objects.at(-2), {
      kind: 'line',
      turn: 1,
      at: '2026-11-21T11:00:01.123456789Z',
      stream: 'stderr',
      text: 'plain',
    });
    const { at: _, ...end } = END;
    assert.deepEqual(objects.at(-1), {
      kind: 'turn_ended',
      turn: 1,
      at: '2026-11-21T11:01:30.000Z',
      ...end,
    });
  });
});
