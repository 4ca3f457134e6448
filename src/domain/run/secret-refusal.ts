import { withoutHostPaths } from '../text/host-paths.js';
import type { TextVerdict } from './queue.js';
import type { SecretScan } from '../secret/secret-guard.js';
import type { SecretFinding } from '../secret/secret-scanner.js';
import { inlineText } from '../text/untrusted-text.js';

/** Most findings a refusal names. */
const SHOWN = 5;

/**
 * Why what was scanned is not published, in words an agent can act on; `undefined` when it may be. Names rule, place and
 * commit, never the secret.
 * @param base the commit that the branch may be rewritten down to
 */
export function secretRefusal(scan: SecretScan, base: string): string | undefined {
  if (scan.kind === 'failed')
    return (
      `it could not be checked for secrets, and nothing unchecked is published: ${inlineText(withoutHostPaths(scan.reason), 300)}. Very ` +
      'large or very many commits are a reason; else the operator has to mend it, and your commits are kept until then'
    );
  return scan.findings.length === 0 ? undefined : found(scan.findings, base);
}

/** Of a text that stands in no commit. */
export function textVerdict(scan: SecretScan): TextVerdict {
  if (scan.kind === 'failed')
    return { kind: 'unchecked', reason: inlineText(withoutHostPaths(scan.reason), 300) };
  if (scan.findings.length === 0) return { kind: 'clean' };
  return { kind: 'secret', reason: found(scan.findings) };
}

function found(findings: readonly SecretFinding[], base = ''): string {
  const shown = findings.slice(0, SHOWN).map(placeOf).join('; ');
  const more = findings.length - SHOWN;
  return [
    `this looks like a secret: ${shown}${more > 0 ? `; and ${String(more)} more` : ''}.`,
    ...(findings.some(({ commit }) => commit !== null) ? [historyAdvice(base)] : []),
    ...(findings.some(({ commit }) => commit === null) ? ['Leave it out of the text.'] : []),
    'If it is a real secret, say in your summary that it has to be replaced; do not repeat it anywhere',
  ].join(' ');
}

function placeOf({ rule, where, line, commit }: SecretFinding): string {
  const at = line === null ? '' : ` line ${String(line)}`;
  const of = commit === null ? '' : ` in commit ${commit.slice(0, 12)}`;
  return `${inlineText(where, 200)}${at}${of} (rule ${inlineText(rule, 100)})`;
}

function historyAdvice(base: string): string {
  return (
    'Every commit is published with its history, so removing it in a later commit is not enough: rewrite the commits ' +
    `that have it, back to ${base} at most, which must stay (git reset --soft ${base}, take the secret out of the files, ` +
    'git add, commit again, with another message or file name if it stood there).'
  );
}
