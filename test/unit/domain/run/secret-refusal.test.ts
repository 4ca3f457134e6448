import assert from 'node:assert/strict';
import { secretRefusal, textVerdict } from '../../../../src/domain/run/secret-refusal.js';
import type { SecretFinding } from '../../../../src/domain/secret/secret-scanner.js';

const BASE = 'b'.repeat(40);
const finding = (change: Partial<SecretFinding> = {}): SecretFinding => ({
  rule: 'github-pat',
  where: 'src/a.txt',
  line: 3,
  commit: 'c'.repeat(40),
  ...change,
});

describe('the refusal of a secret', () => {
  it('is none without a finding', () => {
    assert.equal(secretRefusal({ kind: 'scanned', findings: [] }, BASE), undefined);
  });

  it('names rule, place and commit, and how the history is rewritten down to what must stay', () => {
    const head = 'this looks like a secret: ';
    const tail =
      'If it is a real secret, say in your summary that it has to be replaced; do not repeat it anywhere';
    const history =
      'Every commit is published with its history, so removing it in a later commit is not enough: rewrite the commits ' +
      `that have it, back to ${BASE} at most, which must stay (git reset --soft ${BASE}, take the secret out of the ` +
      'files, git add, commit again, with another message or file name if it stood there).';
    const message = finding({ where: 'the message', line: null });
    assert.equal(
      secretRefusal({ kind: 'scanned', findings: [finding(), message] }, BASE),
      `${head}src/a.txt line 3 in commit cccccccccccc (rule github-pat); the message in commit cccccccccccc (rule github-pat). ${history} ${tail}`,
    );
    const text = finding({ where: 'the body', commit: null });
    const both = secretRefusal({ kind: 'scanned', findings: [text, finding()] }, BASE) ?? '';
    assert.ok(both.includes(history) && both.includes('Leave it out of the text.'), both);
  });

  it('names at most five places, and says how many more there are', () => {
    const findings = Array.from({ length: 8 }, (_, index) => finding({ line: index + 1 }));
    const reason = secretRefusal({ kind: 'scanned', findings }, BASE) ?? '';
    assert.match(reason, /line 5 .*; and 3 more\./);
    assert.doesNotMatch(reason, /line 6/);
    assert.doesNotMatch(
      secretRefusal({ kind: 'scanned', findings: findings.slice(0, 5) }, BASE) ?? '',
      /more/,
    );
  });

  it('shows a path made to deceive as one plain line', () => {
    const reason =
      secretRefusal({ kind: 'scanned', findings: [finding({ where: 'a\n\u202Eb' })] }, BASE) ?? '';
    assert.match(reason, /a b line 3/);
  });

  it('tells the agent of a scanner that failed that its work is kept', () => {
    const reason = secretRefusal({ kind: 'failed', reason: 'gitleaks ended with 2' }, BASE) ?? '';
    assert.match(reason, /gitleaks ended with 2.*commits are kept/);
  });
});

describe('the verdict on a text that is to be posted', () => {
  const where = 'the comment on #12';

  it('names rule, text and line, and no commit that could be rewritten', () => {
    const verdict = textVerdict({ kind: 'scanned', findings: [finding({ where, commit: null })] });
    assert.deepEqual(verdict, {
      kind: 'secret',
      reason:
        'this looks like a secret: the comment on #12 line 3 (rule github-pat). Leave it out of the text. If it is a real secret, say in your summary that it has to be replaced; do not repeat it anywhere',
    });
  });

  it('is clean only when everything was looked at and nothing found', () => {
    assert.deepEqual(textVerdict({ kind: 'scanned', findings: [] }), { kind: 'clean' });
    assert.deepEqual(textVerdict({ kind: 'failed', reason: 'gitleaks\nended with 2' }), {
      kind: 'unchecked',
      reason: 'gitleaks ended with 2',
    });
    const fault = textVerdict({ kind: 'failed', reason: 'no such file: /home/alice/.bot-bottle/x' });
    assert.deepEqual(fault, { kind: 'unchecked', reason: 'no such file: (a path on the host)' });
  });
});
