import assert from 'node:assert/strict';
import { opencode } from '../../../../src/adapters/agents/opencode.js';
import { pi } from '../../../../src/adapters/agents/pi.js';
import type { AgentProvider, LaunchOptions } from '../../../../src/domain/agent/agent-provider.js';
import type { AgentEvent, AgentOutcome, StreamSummary } from '../../../../src/domain/agent/agent-stream.js';
import { recorded } from '../../../support/agents/recorded.js';

const URL_OF_MODEL = 'http://127.0.0.1:3129/anthropic';
const SESSION = {
  pi: 'f3edeab6-22ec-5091-802b-44828cc85240',
  opencode: 'ses_dfe35ac15ffedsIysV70NRXqZH',
} as const;

function launched(provider: AgentProvider, options: Partial<LaunchOptions>) {
  const sessionId = provider.newSessionId('seed');
  const none = { sessionId, resume: false, model: null, variant: null, modelUrl: URL_OF_MODEL };
  return provider.launch({ ...none, ...options });
}

describe('the models of pi and opencode', () => {
  for (const provider of [pi, opencode])
    it(`${provider.name} goes to the vendor's own route, whatever the model is called with`, () => {
      for (const [model, route] of [
        [null, 'anthropic'],
        ['claude-sonnet-4-5', 'anthropic'],
        ['anthropic/claude-sonnet-4-5', 'anthropic'],
        ['gpt-5.1', 'openai'],
        ['openai/o3', 'openai'],
      ] as const)
        assert.equal(provider.access(model)?.route, route, String(model));
      for (const model of ['gemini-3', 'openai/claude-x', 'anthropic/gpt-5', 'openrouter/x'])
        assert.throws(() => provider.access(model), new RegExp(`provider ${provider.name} has no model`));
    });
});

describe('the provider pi', () => {
  const id = pi.newSessionId('run-1/1') ?? '';

  it('makes a session of our id first, and later wants that very session', () => {
    const first = launched(pi, { sessionId: id }).argv;
    assert.deepEqual(first.slice(-2), ['--session-id', id]);
    assert.deepEqual(launched(pi, { sessionId: id, resume: true }).argv.slice(-2), ['--session', id]);
    assert.ok(pi.isSessionId(id));
    for (const bad of [null, '', '../x', '--help', `${id}x`])
      assert.throws(() => launched(pi, { sessionId: bad }), /not a session/);
  });

  it('asks for vendor, model and thinking, and runs nothing of the repository', () => {
    const { argv, env } = launched(pi, { sessionId: id, model: 'openai/gpt-5.1', variant: 'high' });
    const text = argv.join(' ');
    assert.match(text, /--provider openai --model gpt-5\.1 --thinking high/);
    assert.match(text, /--no-approve --no-extensions/);
    assert.equal(env['BOTTLE_PI_URL'], `${URL_OF_MODEL}/v1`);
    assert.equal(launched(pi, { sessionId: id }).env['BOTTLE_PI_URL'], URL_OF_MODEL);
    assert.throws(() => launched(pi, { sessionId: id, variant: 'enormous' }), /has variants off, minimal/);
  });

  it('tells its extension when there are no tools of a forge', () => {
    assert.equal(launched(pi, { sessionId: id }).env['BOTTLE_PI_TOOLS'], undefined);
    assert.equal(launched(pi, { sessionId: id, forge: false }).env['BOTTLE_PI_TOOLS'], 'supervise');
  });
});

describe('the provider opencode', () => {
  const config = (options: Partial<LaunchOptions>): Record<string, unknown> =>
    JSON.parse(launched(opencode, options).env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>;

  it('takes the id that the CLI chose, and no other text', () => {
    assert.equal(opencode.newSessionId('x'), null);
    const { argv } = launched(opencode, { sessionId: SESSION.opencode, resume: true });
    assert.deepEqual(argv.slice(-2), ['--session', SESSION.opencode]);
    for (const bad of [null, '', '--help', 'ses_', 'ses_x y', `${SESSION.opencode}\n`])
      assert.throws(() => launched(opencode, { sessionId: bad, resume: true }), /not a session/);
  });

  it('has everything of its configuration from us: the way to the model, the sidecar, no updates, no sharing', () => {
    const { provider, mcp, ...rest } = config({ model: 'anthropic/claude-next' });
    assert.deepEqual(provider, {
      anthropic: { options: { baseURL: `${URL_OF_MODEL}/v1` }, models: { 'claude-next': {} } },
    });
    const server = (...args: string[]): unknown => ({
      ...{ type: 'local', enabled: true, timeout: 600_000 },
      command: ['/usr/local/bin/node', '/opt/bottle/mcp-stdio.mjs', ...args],
    });
    assert.deepEqual(mcp, { bottle: server(), supervise: server('/supervise/mcp') });
    const local = config({ model: 'anthropic/claude-next', forge: false });
    assert.deepEqual(local['mcp'], { supervise: server('/supervise/mcp') });
    assert.deepEqual(rest, {
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      instructions: ['/workspace/AGENTS.md'],
      permission: { '*': 'allow' },
      enabled_providers: ['anthropic'],
      small_model: 'anthropic/claude-next',
    });
  });

  it('asks for a variant', () => {
    const { argv } = launched(opencode, { model: 'gpt-5.1', variant: 'high' });
    assert.match(argv.join(' '), /--model openai\/gpt-5\.1 --variant high/);
  });
});

interface Read {
  readonly events: readonly AgentEvent[];
  readonly summary: StreamSummary;
}

function readRecorded(provider: AgentProvider, name: string, exitCode: number): Read {
  const reader = provider.reader();
  const events = recorded(provider.name, name).flatMap(({ stream, text }) => reader.read(stream, text));
  return { events, summary: reader.summary(exitCode, false) };
}

describe('what pi and opencode really print', () => {
  for (const [provider, exitCode] of [
    [pi, 0],
    [opencode, 1],
  ] as const) {
    const cases: [string, number, AgentOutcome, RegExp][] = [
      ['tools', 0, 'finished', /^$/],
      ['auth', exitCode, 'provider', /invalid x-api-key/],
      ['refused', exitCode, 'provider', /the route anthropic does not allow that/],
      ['limit', 0, 'finished', /^(?:|429 .*)$/],
      ['cut', 0, 'finished', /^(?:|Anthropic stream ended .*)$/],
      ['unknown-session', 1, 'unknown_session', /session/i],
    ];
    for (const [name, code, outcome, error] of cases)
      it(`${provider.name}, ${name}: ${outcome}`, () => {
        const { summary } = readRecorded(provider, name, code);
        assert.equal(summary.outcome, outcome);
        assert.match(summary.error, error);
      });

    it(`${provider.name}: session, calls, their results and the sum of all answers' figures`, () => {
      const { events, summary } = readRecorded(provider, 'tools', 0);
      assert.equal(summary.sessionId, SESSION[provider.name as 'pi' | 'opencode']);
      assert.equal(summary.toolCalls, 3);
      assert.deepEqual(summary.reported, {
        use: { inputTokens: 5200, cachedTokens: 4000, outputTokens: 40, usd: 0.006 },
        ...{ tokensOf: 'turn', costOf: 'turn' },
      });
      const kinds = events.filter(({ kind }) => !['progress', 'usage', 'session'].includes(kind));
      assert.deepEqual(
        kinds.map(({ kind }) => kind),
        [
          ...['thinking', 'text', 'tool_call', 'tool_result', 'tool_call', 'tool_result'],
          ...['tool_call', 'tool_result', 'text', 'end'],
        ],
      );
      const results = events.flatMap((event) => (event.kind === 'tool_result' ? [event] : []));
      assert.deepEqual(
        results.map(({ isError }) => isError),
        [false, false, true],
      );
      assert.equal(results[0]?.output, 'hi\n');
    });

    it(`${provider.name}: cut anywhere it never ends as finished, and stopped it is stopped`, () => {
      const lines = recorded(provider.name, 'tools').filter(({ stream }) => stream === 'stdout');
      for (let kept = 0; kept < lines.length - 1; kept += 1) {
        const reader = provider.reader();
        for (const { stream, text } of lines.slice(0, kept)) reader.read(stream, text);
        assert.notEqual(reader.summary(0, false).outcome, 'finished', String(kept));
        assert.equal(reader.summary(137, true).outcome, 'stopped');
      }
    });
  }

  it('pi: an overflow that it cannot cure, of tokens or of bytes', () => {
    for (const name of ['overflow', 'too-large'])
      assert.equal(readRecorded(pi, name, 0).summary.outcome, 'context_full', name);
  });

  it('opencode: an overflow that it got over, though it ends with 1', () => {
    assert.equal(readRecorded(opencode, 'overflow-once', 1).summary.outcome, 'finished');
  });
});
