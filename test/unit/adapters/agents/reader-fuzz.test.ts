import assert from 'node:assert/strict';
import fc from 'fast-check';
import { uncutJson } from '../../../../src/adapters/agents/cut-json.js';
import { agentProvider, providerNames } from '../../../../src/adapters/agents/registry.js';
import type { AgentProvider } from '../../../../src/domain/agent/agent-provider.js';
import type { AgentOutcome, StreamSummary } from '../../../../src/domain/agent/agent-stream.js';
import { CLAUDE_CASES } from '../../../support/agents/claude-cases.js';
import { CODEX_CASES } from '../../../support/agents/codex-cases.js';
import { recorded } from '../../../support/agents/recorded.js';

const OUTCOMES: readonly AgentOutcome[] = [
  'finished',
  'unknown_session',
  'provider',
  'context_full',
  'not_understood',
  'cut',
  'empty',
  'crashed',
  'stopped',
  'failed',
];
const LINES = [
  ...CLAUDE_CASES.flatMap(({ name }) => recorded('claude', name)),
  ...CODEX_CASES.flatMap(({ name }) => recorded('codex', name)),
  ...recorded('pi', 'tools'),
  ...recorded('opencode', 'tools'),
].map(({ text }) => text);

/** A real line with a hole, a piece of another, or an end where the log cut it. */
const mutated = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.nat(),
    fc.nat(),
    fc.oneof(
      fc.constant(''),
      fc.string({ unit: 'binary', maxLength: 20, size: 'max' }),
      fc.json({ maxDepth: 3 }),
    ),
    fc.boolean(),
  )
  .map(([line, from, length, piece, isCut]) => {
    const start = from % line.length;
    const text =
      line.slice(0, start) + piece + (isCut ? '' : line.slice(start + (length % (line.length - start))));
    return isCut ? `${text} [${String(length)} more bytes of this line are not kept]` : text;
  });

const TYPES = [
  ...['system', 'assistant', 'user', 'result', 'item.started', 'item.completed', 'turn.failed'],
  ...['session', 'message_end', 'tool_execution_start', 'tool_execution_end', 'agent_settled'],
  ...['text', 'reasoning', 'tool_use', 'step_finish', 'error'],
];
const FIELDS = [
  ...[
    'subtype',
    'session_id',
    'sessionID',
    'id',
    'toolCallId',
    'message',
    'content',
    'item',
    'part',
    'state',
  ],
  ...['usage', 'tokens', 'cache', 'cost', 'total', 'total_cost_usd', 'error', 'errors', 'is_error', 'data'],
  ...['result', 'args', 'input', 'reason', 'stopReason', 'role'],
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('assistant', 'error', 'stop', 'text', 'NaN', '__proto__'),
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 6 }),
  ),
}));

/** The right shape with anything in it. */
const shaped = fc
  .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...FIELDS), value))
  .map(([type, fields]) => JSON.stringify({ ...fields, type }));

const line = fc.oneof(mutated, shaped, fc.string({ unit: 'binary' }), fc.json());
const output = fc.array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), line), {
  maxLength: 12,
  size: 'max',
});

function assertBounded(provider: AgentProvider, summary: StreamSummary): void {
  assert.ok(OUTCOMES.includes(summary.outcome));
  assert.ok(summary.error.length <= 2_000);
  assert.ok(summary.sessionId === null || provider.isSessionId(summary.sessionId));
  const { use } = summary.reported ?? {};
  for (const count of [use?.inputTokens, use?.outputTokens, use?.cachedTokens, summary.toolCalls])
    assert.ok(count === undefined || (Number.isSafeInteger(count) && count >= 0));
  const usd = use?.usd ?? 0;
  assert.ok(Number.isFinite(usd) && usd >= 0);
}

describe('readers of hostile output', () => {
  for (const name of providerNames()) {
    const provider = agentProvider(name);
    it(`of ${name} never throw, and say something that is known`, () => {
      fc.assert(
        fc.property(output, fc.integer({ min: 0, max: 255 }), fc.boolean(), (lines, exitCode, stopped) => {
          const reader = provider.reader();
          for (const [stream, text] of lines) reader.read(stream, text);
          assertBounded(provider, reader.summary(exitCode, stopped));
        }),
        { numRuns: 1000 },
      );
    });

    it(`of ${name} keep no more than the last of it`, () => {
      const reader = provider.reader();
      const huge = 'x'.repeat(8 * 1024 * 1024);
      for (const text of [huge, `{"type":"result","result":"${huge}"}`, `{${huge}`, '['.repeat(100_000)]) {
        assert.deepEqual(reader.read('stdout', text), []);
      }
      const open = '{"type":"assistant","message":{"content":[{"type":"tool_use","input":';
      const deep = '['.repeat(30_000);
      reader.read('stdout', `${open}${deep}${']'.repeat(30_000)}}]}}`);
      reader.read('stdout', `${open}${deep} [1 more bytes of this line are not kept]`);
      assertBounded(provider, reader.summary(0, false));
    });
  }
});

describe('what is left of an object that was cut', () => {
  it('is JSON, and nothing that was not in it', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(value, fc.nat(), (object, at) => {
        const text = JSON.stringify(object);
        const head = text.slice(0, 1 + (at % text.length));
        const left: unknown = JSON.parse(
          uncutJson(`${head} [12 more bytes of this line are not kept]`) ?? 'null',
        );
        assertPart(left, JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is nothing for a line that was not cut', () => {
    assert.equal(uncutJson('{"type":"result"}'), undefined);
    assert.equal(uncutJson('text [12 more bytes of this line are not kept]'), undefined);
  });
});

/** Each value is a whole one of the original's, but for the open objects and lists, which end earlier. */
function assertPart(left: unknown, whole: unknown): void {
  if (Array.isArray(left) && Array.isArray(whole)) {
    assert.ok(left.length <= whole.length);
    left.forEach((one, index) => {
      assertPart(one, whole[index]);
    });
  } else if (typeof left === 'object' && left !== null) {
    for (const [key, one] of Object.entries(left)) assertPart(one, (whole as Record<string, unknown>)[key]);
  } else assert.deepEqual(left, whole);
}
