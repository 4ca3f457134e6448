import assert from 'node:assert/strict';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import type { AgentEvent } from '../../../../src/domain/agent/agent-stream.js';
import { CLAUDE_CASES } from '../../../support/agents/claude-cases.js';
import { summaryOf, type CliLine } from '../../../support/agents/cli-bottle.js';
import { NO_SESSION, SESSION } from '../../../support/agents/cli-cases.js';
import { CODEX_CASES } from '../../../support/agents/codex-cases.js';
import { recorded } from '../../../support/agents/recorded.js';

const PROVIDERS = [
  ['claude', CLAUDE_CASES],
  ['codex', CODEX_CASES],
] as const;

for (const [name, cases] of PROVIDERS) {
  const provider = agentProvider(name);
  describe(`the recorded output of ${name}`, () => {
    for (const { name: file, what, exitCode, expected, error } of cases) {
      it(`is understood: ${what}`, () => {
        const summary = summaryOf(provider, recorded(name, file), exitCode);
        assert.deepEqual({ ...summary, ...expected }, summary);
        if (error !== undefined) assert.match(summary.error, error);
      });
    }

    it('that was stopped by us is a stop, and without an end is cut', () => {
      const lines = recorded(name, 'killed');
      const reader = provider.reader();
      for (const { stream, text } of lines) reader.read(stream, text);
      assert.equal(reader.summary(137, true).outcome, 'stopped');
      assert.equal(reader.summary(0, false).outcome, 'cut');
      assert.equal(provider.reader().summary(0, false).outcome, 'empty');
    });

    it('says its session once, as soon as it is known', () => {
      const events = eventsOf(name, recorded(name, 'work'));
      assert.deepEqual(
        events.filter(({ kind }) => kind === 'session'),
        events.slice(0, 1),
      );
    });

    it('with an error inside is no success, whatever the exit code', () => {
      assert.equal(summaryOf(provider, recorded(name, 'overloaded'), 0).outcome, 'provider');
    });
  });
}

describe('the events of claude', () => {
  it('are what is thought, said and done', () => {
    assert.deepEqual(
      eventsOf('claude', recorded('claude', 'work')).filter(({ kind }) => kind !== 'progress'),
      [
        { kind: 'session', id: SESSION },
        { kind: 'thinking', text: 'Let me see.' },
        { kind: 'text', text: 'I read the issue.' },
        { kind: 'tool_call', id: 'toolu_stub000001x0', tool: 'mcp__bottle__read_issue', input: '{}' },
        {
          kind: 'tool_result',
          id: 'toolu_stub000001x0',
          isError: false,
          output: 'The issue says: write notes.',
        },
        {
          kind: 'tool_call',
          id: 'toolu_stub000002x0',
          tool: 'Bash',
          input: '{"command":"echo hello > notes.txt; cat notes.txt","description":"Write"}',
        },
        { kind: 'tool_result', id: 'toolu_stub000002x0', isError: false, output: 'hello' },
        { kind: 'tool_call', id: 'toolu_stub000003x0', tool: 'Read', input: '{"file_path":"/nowhere"}' },
        {
          kind: 'tool_result',
          id: 'toolu_stub000003x0',
          isError: true,
          output: 'File does not exist. Note: your current working directory is /workspace.',
        },
        { kind: 'text', text: 'All done.' },
        {
          kind: 'usage',
          reported: { inputTokens: 660, cachedTokens: 300, outputTokens: 37, usd: 0.00228 },
        },
        { kind: 'end', outcome: 'finished', text: 'All done.' },
      ],
    );
  });

  it('are those of a denial and of an API that does not answer', () => {
    const denied = eventsOf('claude', recorded('claude', 'denied'));
    assert.deepEqual(
      denied.filter(({ kind }) => kind === 'denied'),
      [{ kind: 'denied', tool: 'Bash' }],
    );
    const errors = eventsOf('claude', recorded('claude', 'overloaded')).filter(
      ({ kind }) => kind === 'error',
    );
    assert.deepEqual(errors[0], {
      kind: 'error',
      text: 'the model did not answer: overloaded (529); trying again',
    });
    assert.equal(errors.length, 3);
  });

  it('have no session that was only asked for', () => {
    const lines = recorded('claude', 'unknown-session');
    assert.ok(lines.some(({ text }) => text.includes(NO_SESSION)));
    assert.equal(summaryOf(agentProvider('claude'), lines, 1).sessionId, null);
  });
});

describe('the events of codex', () => {
  it('are what is thought, said and done', () => {
    const events = eventsOf('codex', recorded('codex', 'work'));
    const [session] = events;
    assert.ok(session?.kind === 'session' && agentProvider('codex').isSessionId(session.id));
    assert.deepEqual(
      events.slice(1).filter(({ kind }) => kind !== 'progress'),
      [
        { kind: 'thinking', text: 'Let me see.' },
        { kind: 'text', text: 'I read the issue.' },
        { kind: 'tool_call', id: 'item_2', tool: 'mcp__bottle__read_issue', input: '{}' },
        { kind: 'tool_result', id: 'item_2', isError: false, output: 'The issue says: write notes.' },
        {
          kind: 'tool_call',
          id: 'item_3',
          tool: 'shell',
          input: "/bin/bash -lc 'echo hello > a.txt; cat a.txt; exit 3'",
        },
        { kind: 'tool_result', id: 'item_3', isError: true, output: 'hello\n' },
        { kind: 'tool_call', id: 'item_4', tool: 'apply_patch', input: 'add /workspace/b.txt' },
        { kind: 'tool_result', id: 'item_4', isError: false, output: 'add /workspace/b.txt' },
        { kind: 'text', text: 'All done.' },
        { kind: 'usage', reported: { inputTokens: 620, cachedTokens: 300, outputTokens: 37, usd: null } },
        { kind: 'end', outcome: 'finished', text: '' },
      ],
    );
  });
});

describe('a line that the log cut', () => {
  /** As the log keeps it. */
  function cut(line: string, length: number): string {
    return `${line.slice(0, length)} [${String(line.length - length)} more bytes of this line are not kept]`;
  }
  function cutAt(lines: readonly CliLine[], isIt: (text: string) => boolean, mark: string): CliLine[] {
    return lines.map((line) =>
      isIt(line.text) ? { ...line, text: cut(line.text, line.text.indexOf(mark) + mark.length) } : line,
    );
  }
  const isResult = (text: string): boolean => text.includes('"type":"result"');
  const claude = agentProvider('claude');

  it('ends the turn of claude nevertheless, good or bad', () => {
    const good = cutAt(recorded('claude', 'work'), isResult, '"result":"All');
    assert.deepEqual(
      summaryOf(claude, good, 0),
      summaryOf(claude, recorded('claude', 'work'), 0),
      'with its figures',
    );
    const bad = cutAt(recorded('claude', 'overloaded'), isResult, '"result":"API');
    const { outcome, error } = summaryOf(claude, bad, 1);
    assert.equal(outcome, 'provider');
    assert.match(error, /529/, 'from the line before');
    const full = cutAt(recorded('claude', 'too-long'), isResult, '"result":"Prompt');
    assert.equal(summaryOf(claude, full, 1).outcome, 'context_full');
  });

  it('ends it as the exit code says when no more is known', () => {
    const lines = cutAt(recorded('claude', 'work'), isResult, '"permission_denials":[');
    assert.equal(summaryOf(claude, lines, 0).outcome, 'finished');
    assert.equal(summaryOf(claude, lines, 1).outcome, 'crashed');
  });

  it('still says which tool was called', () => {
    const lines = cutAt(recorded('claude', 'work'), (text) => text.includes('cat notes.txt'), 'echo hello');
    assert.ok(eventsOf('claude', lines).some((event) => event.kind === 'tool_call' && event.tool === 'Bash'));
  });

  it('of codex ends the turn too', () => {
    const failed = cutAt(
      recorded('codex', 'overloaded'),
      (text) => text.includes('turn.failed'),
      'unexpected status',
    );
    assert.equal(summaryOf(agentProvider('codex'), failed, 1).outcome, 'provider');
  });
});

function eventsOf(name: string, lines: readonly CliLine[]): AgentEvent[] {
  const reader = agentProvider(name).reader();
  return lines.flatMap(({ stream, text }) => reader.read(stream, text));
}
