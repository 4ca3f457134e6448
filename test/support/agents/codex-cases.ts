import { say, status, use } from '../model-api/script.js';
import { always, NO_SESSION, type CliCase } from './cli-cases.js';

function error(code: string, message: string): Readonly<Record<string, unknown>> {
  return { error: { type: code, code, message } };
}

/** Asks for its tools one by one, and searches for those of MCP servers. */
export const PLAIN_MODEL = 'gpt-5.5';

export const CODEX_CASES: readonly CliCase[] = [
  {
    name: 'work',
    what: 'thinks, says, uses tools of the forge and of its own from scripts, and ends',
    steps: [
      {
        reply: use('exec', 'text(JSON.stringify(await tools.mcp__bottle__read_issue({})));', {
          thinking: 'Let me see.',
          text: 'I read the issue.',
        }),
      },
      {
        reply: use(
          'exec',
          'text((await tools.exec_command({ cmd: "echo hello > a.txt; cat a.txt; exit 3" })).output);',
        ),
      },
      {
        reply: use(
          'exec',
          'await tools.apply_patch("*** Begin Patch\\n*** Add File: b.txt\\n+hello\\n*** End Patch\\n");',
        ),
      },
      { reply: say('All done.', { usage: { input: 20, cacheRead: 300, output: 7 } }) },
    ],
    exitCode: 0,
    expected: {
      outcome: 'finished',
      error: '',
      toolCalls: 3,
      denials: 0,
      reported: {
        use: { inputTokens: 620, cachedTokens: 300, outputTokens: 37, usd: null },
        tokensOf: 'session',
        costOf: 'session',
      },
    },
  },
  {
    name: 'plain-tools',
    what: 'searches for the tools of the forge with a model that does so',
    turn: { model: PLAIN_MODEL, variant: 'high' },
    steps: [
      { reply: use('tool_search', { query: 'read issue' }) },
      { reply: use('read_issue', {}) },
      { reply: use('exec_command', { cmd: 'cat /nowhere' }) },
      { reply: say('All done.') },
    ],
    exitCode: 0,
    expected: { outcome: 'finished', toolCalls: 2 },
  },
  {
    name: 'overloaded',
    what: 'a model that is overloaded',
    steps: always(status(503, error('server_error', 'overloaded'))),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /503 Service Unavailable/,
  },
  {
    name: 'got-over',
    what: 'an answer that is lost once',
    steps: [
      { reply: { kind: 'broken', answer: say('Hello there'), events: 5, then: 'reset' } },
      { reply: say('Now it works.') },
    ],
    exitCode: 0,
    expected: { outcome: 'finished', error: '' },
  },
  {
    name: 'limited',
    what: 'a usage limit',
    steps: always(status(429, error('usage_limit_reached', 'The usage limit has been reached'))),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /usage limit/,
  },
  {
    name: 'refused',
    what: 'a request that the proxy refuses',
    steps: always(status(403, { error: 'the budget of this turn is used up' })),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /the budget of this turn is used up/,
  },
  {
    name: 'too-long',
    what: 'a conversation that does not fit into the model',
    steps: always({
      kind: 'error_event',
      answer: say('x'),
      events: 2,
      type: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model.',
    }),
    exitCode: 1,
    expected: { outcome: 'context_full' },
    error: /context window/,
  },
  {
    name: 'too-large',
    what: 'a conversation of more bytes than a request may have',
    steps: always(status(413, { error: { message: 'Request exceeds the maximum size' } })),
    exitCode: 1,
    expected: { outcome: 'context_full' },
    error: /413 Payload Too Large/,
  },
  {
    name: 'ended',
    what: 'answers that end in the middle',
    steps: always({ kind: 'broken', answer: say('Hello there'), events: 5, then: 'end' }),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /stream closed before response.completed/,
  },
  {
    name: 'garbage',
    what: 'an answer that is none',
    steps: always({ kind: 'garbage', body: 'not an event\n\n' }),
    exitCode: 1,
    expected: { outcome: 'provider' },
  },
  {
    name: 'nothing-said',
    what: 'a model that says nothing',
    steps: always({ kind: 'answer' }),
    exitCode: 0,
    expected: { outcome: 'finished', toolCalls: 0 },
  },
  {
    name: 'killed',
    what: 'a kill in the middle of a tool',
    turn: { killAt: 'echo begun' },
    steps: [{ reply: use('exec', 'await tools.exec_command({ cmd: "echo begun; sleep 30" });') }],
    exitCode: 137,
    expected: { outcome: 'crashed', toolCalls: 1, reported: null },
  },
  {
    name: 'unknown-session',
    what: 'a session to go on with that is not there: plain text',
    turn: { sessionId: NO_SESSION, resume: true },
    steps: [],
    exitCode: 1,
    expected: { outcome: 'unknown_session', sessionId: null },
    error: /no rollout found/,
  },
  {
    name: 'no-prompt',
    what: 'an empty prompt: plain text',
    turn: { prompt: '' },
    steps: [],
    exitCode: 1,
    expected: { outcome: 'not_understood' },
    error: /No prompt/,
  },
];
