import { say, status, use } from '../model-api/script.js';
import { always, NO_SESSION, SESSION, type CliCase } from './cli-cases.js';

function error(type: string, message: string): Readonly<Record<string, unknown>> {
  return { type: 'error', error: { type, message } };
}

export const CLAUDE_CASES: readonly CliCase[] = [
  {
    name: 'work',
    what: 'thinks, says, uses tools of the forge and of its own, and ends',
    steps: [
      { reply: use('read_issue', {}, { thinking: 'Let me see.', text: 'I read the issue.' }) },
      { reply: use('Bash', { command: 'echo hello > notes.txt; cat notes.txt', description: 'Write' }) },
      { reply: use('Read', { file_path: '/nowhere' }) },
      { reply: say('All done.', { usage: { input: 20, cacheRead: 300, cacheWrite: 40, output: 7 } }) },
    ],
    exitCode: 0,
    expected: {
      outcome: 'finished',
      error: '',
      sessionId: SESSION,
      toolCalls: 3,
      denials: 0,
    },
  },
  {
    name: 'denied',
    what: 'a tool that the settings of the home deny',
    turn: { home: { '.claude/settings.json': '{"permissions":{"deny":["Bash(rm *)"]}}' } },
    steps: [
      { reply: use('Bash', { command: 'rm -rf notes', description: 'Remove' }) },
      { reply: say('I may not.') },
    ],
    exitCode: 0,
    expected: { outcome: 'finished', toolCalls: 1, denials: 1 },
  },
  {
    name: 'overloaded',
    what: 'a model that is overloaded, which ends as "success" with an error inside',
    steps: always(status(529, error('overloaded_error', 'Overloaded'))),
    exitCode: 1,
    expected: { outcome: 'provider', sessionId: SESSION },
    error: /529 Overloaded/,
  },
  {
    name: 'got-over',
    what: 'a model that is overloaded once',
    steps: [{ reply: status(529, error('overloaded_error', 'Overloaded')) }, { reply: say('Now it works.') }],
    exitCode: 0,
    expected: { outcome: 'finished', error: '' },
  },
  {
    name: 'limited',
    what: 'a usage limit',
    steps: always(
      status(429, error('rate_limit_error', 'This request would exceed your rate limit'), {
        'retry-after': '1',
      }),
    ),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /429/,
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
    steps: always(
      status(400, error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
    ),
    exitCode: 1,
    expected: { outcome: 'context_full' },
    error: /Prompt is too long/,
  },
  {
    name: 'too-large',
    what: 'a conversation of more bytes than a request may have',
    steps: always(status(413, error('request_too_large', 'Request exceeds the maximum size'))),
    exitCode: 1,
    expected: { outcome: 'context_full' },
    error: /Request too large/,
  },
  {
    name: 'reset',
    what: 'connections that are lost in the middle of an answer',
    steps: always({ kind: 'broken', answer: say('Hello there'), events: 4, then: 'reset' }),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /Connection/,
  },
  {
    name: 'garbage',
    what: 'an answer that is none',
    steps: always({ kind: 'garbage', body: 'not an event\n\n' }),
    exitCode: 1,
    expected: { outcome: 'provider' },
    error: /malformed/,
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
    steps: [{ reply: use('Bash', { command: 'echo begun; sleep 30', description: 'Wait' }) }],
    exitCode: 137,
    expected: { outcome: 'crashed', sessionId: SESSION, toolCalls: 1, reported: null },
  },
  {
    name: 'unknown-session',
    what: 'a session to go on with that is not there',
    turn: { sessionId: NO_SESSION, resume: true },
    steps: [],
    exitCode: 1,
    expected: { outcome: 'unknown_session' },
    error: /No conversation found/,
  },
  {
    name: 'used-session',
    what: 'a new session with the id of one that is there: plain text',
    before: {},
    steps: always(say('Done.')),
    exitCode: 1,
    expected: { outcome: 'failed', sessionId: null },
    error: /already in use/,
  },
  {
    name: 'no-prompt',
    what: 'an empty prompt: plain text',
    turn: { prompt: '' },
    steps: [],
    exitCode: 1,
    expected: { outcome: 'not_understood' },
    error: /Input must be provided/,
  },
];
