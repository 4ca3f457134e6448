import assert from 'node:assert/strict';
import { SecretScanError, SecretScanOverrunError } from '../../../../src/domain/base/errors.js';
import { SecretGuard } from '../../../../src/domain/secret/secret-guard.js';
import type {
  CommitRange,
  NamedText,
  SecretFinding,
  SecretScanner,
} from '../../../../src/domain/secret/secret-scanner.js';

const TOKEN = { name: 'forge-token', value: '0123456789abcdef' };
const RANGE = { gitDir: '/none' } as CommitRange;
const found = (rule: string, where = 'the body'): SecretFinding => ({ rule, where, line: 1, commit: null });

/** Answers each call in turn, the last answer again and again. */
function scanner(...answers: readonly (readonly SecretFinding[] | Error)[]) {
  const asked: unknown[] = [];
  const answer = (what: unknown): Promise<SecretFinding[]> => {
    const next = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(what);
    return next instanceof Error ? Promise.reject(next) : Promise.resolve([...next]);
  };
  const one: SecretScanner = { name: 'gitleaks 8', scanCommits: answer, scanTexts: answer };
  return { one, asked };
}

const texts = (asked: readonly unknown[]): unknown[] =>
  (asked[0] as readonly NamedText[]).map(({ text }) => text);

describe('what stands between secrets and the forge', () => {
  it('finds our own secrets in a text, with a scanner or without', async () => {
    const { one } = scanner([found('github-pat')]);
    const text = { where: 'the title', text: `x ${TOKEN.value}` };
    const own = { rule: 'known-secret:forge-token', where: 'the title', line: null, commit: null };
    assert.deepEqual(await new SecretGuard(null, () => [TOKEN]).scanTexts([text]), {
      kind: 'scanned',
      findings: [own],
    });
    assert.deepEqual(await new SecretGuard(null, () => [TOKEN]).scanCommits(RANGE), {
      kind: 'scanned',
      findings: [],
    });
    assert.deepEqual(await new SecretGuard(one, () => [TOKEN]).scanTexts([{ ...text, commit: 'c0ffee' }]), {
      kind: 'scanned',
      findings: [{ ...own, commit: 'c0ffee' }, found('github-pat')],
    });
  });

  it('looks at a text as it is and as it is read, and names a finding once', async () => {
    const { one, asked } = scanner([found('github-pat'), found('github-pat'), found('other')]);
    const guard = new SecretGuard(one, () => [TOKEN]);
    const split = { where: 'the body', text: '01234567\u200b89ab\u202ecdef\u0007' };
    assert.deepEqual(await guard.scanTexts([split]), {
      kind: 'scanned',
      findings: [
        { rule: 'known-secret:forge-token', where: 'the body', line: null, commit: null },
        found('github-pat'),
        found('other'),
      ],
    });
    assert.deepEqual(texts(asked), [split.text, TOKEN.value]);
  });

  it('does not look twice at a text that is read as it is, its lines and tabs too', async () => {
    const { one, asked } = scanner([]);
    await new SecretGuard(one, () => []).scanTexts([{ where: 'the body', text: 'a\n\tb' }]);
    assert.deepEqual(texts(asked), ['a\n\tb']);
  });

  it('knows a secret as soon as it is there', async () => {
    let known = [TOKEN];
    const guard = new SecretGuard(null, () => known);
    known = [...known, { name: 'new', value: 'fedcba9876543210' }];
    const scan = await guard.scanTexts([{ where: 'x', text: 'fedcba9876543210' }]);
    assert.ok(scan.kind === 'scanned');
    assert.deepEqual(
      scan.findings.map(({ rule }) => rule),
      ['known-secret:new'],
    );
    assert.deepEqual(guard.knownSecrets(), known);
  });

  it('tries a scanner that failed once more, and then lets nothing pass', async () => {
    const crash = new SecretScanError('it crashed');
    const once = scanner(crash, [found('github-pat')]);
    assert.deepEqual(await new SecretGuard(once.one, () => []).scanCommits(RANGE), {
      kind: 'scanned',
      findings: [found('github-pat')],
    });
    assert.deepEqual(once.asked, [RANGE, RANGE]);
    const always = scanner(crash);
    const failed = { kind: 'failed', reason: 'it crashed' };
    const guard = new SecretGuard(always.one, () => [TOKEN]);
    assert.deepEqual(await guard.scanCommits(RANGE), failed);
    assert.equal(always.asked.length, 2);
    assert.deepEqual(await guard.scanTexts([{ where: 'x', text: TOKEN.value }]), failed);
  });

  it('does not try one again that ran out of time, nor hides another fault', async () => {
    const slow = scanner(new SecretScanOverrunError('too slow'));
    assert.deepEqual(await new SecretGuard(slow.one, () => []).scanCommits(RANGE), {
      kind: 'failed',
      reason: 'too slow',
    });
    assert.equal(slow.asked.length, 1);
    const broken = scanner(new TypeError('a mistake of ours'));
    await assert.rejects(new SecretGuard(broken.one, () => []).scanCommits(RANGE), TypeError);
  });

  it('reports what was found without where, and who looked', () => {
    const guard = new SecretGuard(scanner([]).one, () => []);
    const findings = [found('b'), found('a'), found('b')];
    assert.deepEqual(guard.report({ kind: 'scanned', findings }), {
      ...{ scanner: 'gitleaks 8', outcome: 'found', findings: 3, rules: ['a', 'b'] },
    });
    const none = { findings: 0, rules: [] };
    assert.deepEqual(guard.report({ kind: 'scanned', findings: [] }), {
      ...{ scanner: 'gitleaks 8', outcome: 'clean', ...none },
    });
    assert.deepEqual(new SecretGuard(null, () => []).report({ kind: 'failed', reason: 'x' }), {
      ...{ scanner: 'off', outcome: 'failed', ...none },
    });
  });
});
