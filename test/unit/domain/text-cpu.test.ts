import assert from 'node:assert/strict';
import fc from 'fast-check';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { plainText } from '../../../src/adapters/git/git-failure.js';
import { excerpt } from '../../../src/adapters/gitea/http/excerpt.js';
import { untrustedDiff, untrustedName, untrustedText } from '../../../src/bundle/forge/untrusted.js';
import { statusText } from '../../../src/cli/commands/status-text.js';
import { LogRenderer } from '../../../src/cli/logs/render-log.js';
import { wrap } from '../../../src/cli/base/wrap.js';
import { printJson } from '../../../src/cli/base/output.js';
import { branchNamed } from '../../../src/domain/workspace/branch-name.js';
import { escapeTerminal, escapeTerminalLines } from '../../../src/domain/text/escape.js';
import { whyNotPlainPath } from '../../../src/domain/egress/plain-path.js';
import { withoutHostPaths } from '../../../src/domain/text/host-paths.js';
import { pullRequestBody, pullRequestTitle } from '../../../src/domain/text/inert-text.js';
import { renderEvents, withQuote } from '../../../src/domain/prompt/prompt-events.js';
import { composePrompt } from '../../../src/domain/prompt/prompt.js';
import { isProtectedPath, nameObjection } from '../../../src/domain/workspace/publish-policy.js';
import { commentKey } from '../../../src/domain/forge/reference-key.js';
import { textVerdict } from '../../../src/domain/run/secret-refusal.js';
import { redact } from '../../../src/domain/text/redact.js';
import { SecretSearch } from '../../../src/domain/secret/secret-search.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { parseGitmodules } from '../../../src/domain/workspace/submodules.js';
import { cleanText, cutToBytes, inlineText, quoteLines } from '../../../src/domain/text/untrusted-text.js';
import { mentionsMember } from '../../../src/webhook/dispatch/mentions.js';
import { summary } from '../cli/run-summary.js';
import { MARKS } from '../../corpus/texts/hostile-markdown.js';

const LENGTH = 60_000;
const LIMIT_MS = 50;
/** Others may be using the processor. */
const TRIES = 10;

const search = new SecretSearch([{ name: 'token', value: 'abababababababab' }]);
const claude = agentProvider('claude');
const renderer = new LogRenderer({ reader: () => undefined }, () => ({ columns: 80, colors: true }));
const guard = new SecretGuard(null, () => []);

/** Everything that sees text of an agent or of the forge. */
const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  // With `inertText` in it.
  pullRequestBody: (text) => pullRequestBody(text, 12, 'https://forge.test'),
  pullRequestTitle: (text) => pullRequestTitle(text, text),
  cleanText,
  inlineText: (text) => inlineText(text),
  quoteLines,
  cutToBytes: (text) => cutToBytes(text, 1000),
  withQuote: (text) => withQuote('header', text, 1000),
  renderEvents: (text) =>
    renderEvents([{ kind: 'comment', number: 1, author: 'alice', at: 'now', body: text }], 100_000),
  composePrompt: (text) =>
    composePrompt({
      ...{
        kind: 'first',
        role: 'role',
        branch: 'work',
        baseBranch: 'main',
        pr: null,
        events: [],
        omitted: 0,
      },
      ...{ limit: null, fresh: null, forge: true },
      task: {
        ...{ kind: 'issue', number: 1, title: 'title', author: 'alice', url: 'url', withheld: false },
        ...{ body: text, linkedPulls: [] },
      },
    }),
  commentKey: (body) => commentKey({ id: 1, body }, (whole) => whole),
  branchNamed,
  plainText: (text) => plainText(text),
  escapeTerminal,
  escapeTerminalLines,
  wrap: (text) => wrap(text, 80),
  statusText: (text) => statusText([summary({ detail: text })], { now: 0, columns: 80 }),
  'LogRenderer.render': (text) => renderer.render({ kind: 'line', turn: 1, line: text }),
  'StreamReader.read': (text) =>
    claude.reader().read('stdout', `{"a":[${text} [9 more bytes of this line are not kept]`),
  printJson: (text) => {
    printJson({ stdout: { write: () => undefined } }, text);
  },
  withoutHostPaths,
  excerpt: (text) => excerpt(text, 'token'),
  nameObjection,
  isProtectedPath,
  whyNotPlainPath: (text) => whyNotPlainPath(`/${text}`),
  parseGitmodules: (text) => parseGitmodules(`submodule.${text}.path\n${text}`),
  untrustedText,
  untrustedDiff,
  untrustedName,
  redact: (text) => redact(['abababababababab'])(text),
  'SecretSearch.namesIn': (text) => search.namesIn(new TextEncoder().encode(text)),
  'SecretGuard.scanTexts': (text) => guard.scanTexts([{ where: text, text }]),
  textVerdict: (text) => textVerdict({ kind: 'failed', reason: text }),
  mentionsMember: (text) => mentionsMember(text, ['alice']),
};

/** What the functions' own expressions look at, beside the marks of Markdown. */
const LOOKED_AT = [
  ...[
    'a',
    ' ',
    '<!--',
    '-->',
    '--',
    '<!',
    '<!-',
    '\u200b',
    '\u202e',
    '\uFE0F',
    '👩‍🔧',
    '\u200d',
    '\ud800',
    '\r\n',
    '\u2028',
  ],
  ...[
    '~~~x\n',
    '```x\n',
    '  ```x\n',
    '> ```x\n',
    '- ```x\n',
    'x\n    ```\n\n',
    '\n    ```\n     a\n',
    '```\n\n```\n',
  ],
  ...[
    'a``b```c',
    '![a](',
    '](a "',
    '[a](b) ',
    '<a',
    '<b>',
    '&#1;',
    '&a',
    '&#1',
    '#<',
    '#<b>',
    '#**',
    '#**1',
    '@a',
    'a/b@',
    'a.',
    '/a',
  ],
  ...[
    'https://a.b/c#',
    'https://',
    '_a',
    'a|b\n-|-\n',
    '{a}\n',
    '][a]',
    '"@',
    'GH-1',
    '/issues/1',
    '\n/a',
    '\n   /',
    'ab',
    '%',
    '@a.',
    '@@',
  ],
] as const;

/** Of fast-check: mixtures of marks, and one text of whatever characters there are, each as long as may be. */
const generated = [
  ...fc
    .sample(fc.array(fc.constantFrom(...MARKS, ...LOOKED_AT), { minLength: 2, maxLength: 5 }), 15)
    .map((parts) => repeated(parts.join(''))),
  repeated(
    fc.sample(fc.string({ minLength: 2000, maxLength: 2000, size: 'max', unit: 'binary' }), 1)[0] ?? '',
  ),
];

/** @param enough what need not be measured again, milliseconds */
function cpuMs(work: () => unknown, enough = LIMIT_MS): number {
  let least = Infinity;
  for (let attempt = 0; attempt < TRIES && least >= enough; attempt += 1) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
    // One that is far off is not a busy machine.
    if (least > 10 * LIMIT_MS) break;
  }
  return least;
}

/**
 * Where other processes share the processor and its caches, the same work takes several times as long: what is over the
 * limit there is slow only if a sixteenth of the text takes much less than a sixteenth of the time, or if it is far over.
 * Linear work takes 16 times as long for all of it, give or take what caches do; quadratic work 256 times.
 */
function isSlow(work: (text: string) => unknown, text: string): boolean {
  const whole = cpuMs(() => work(text));
  if (whole < LIMIT_MS) return false;
  if (whole >= 4 * LIMIT_MS) return true;
  return whole >= 64 * cpuMs(() => work(text.slice(0, LENGTH / 16)), 0);
}

function repeated(fragment: string): string {
  return fragment.repeat(Math.ceil(LENGTH / fragment.length)).slice(0, LENGTH);
}

describe(`the processor's time for ${String(LENGTH)} characters of text`, function () {
  this.timeout(120_000);

  for (const [name, work] of Object.entries(FUNCTIONS)) {
    it(`is below ${String(LIMIT_MS)} ms in ${name}`, () => {
      const slow = (text: string): boolean => isSlow(work, text);
      // A first run is compiled.
      work(repeated('a `b` @c #1\n'));
      assert.deepEqual(
        [...MARKS, ...LOOKED_AT].filter((fragment) => slow(repeated(fragment))),
        [],
      );
      assert.deepEqual(generated.filter(slow), []);
    });
  }

  it('is measured: work that takes longer is seen', () => {
    const quadratic = (text: string): boolean => /(^[\s>]*\/)(?=\S)/gm.test(text.slice(0, text.length / 4));
    assert.ok(isSlow(quadratic, '\n'.repeat(LENGTH)));
  });
});
