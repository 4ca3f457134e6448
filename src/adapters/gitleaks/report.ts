import { z } from 'zod';
import { SecretScanError } from '../../domain/base/errors.js';

/** What we use of a finding in gitleaks' JSON report; the commit is empty outside git. */
const finding = z
  .object({ RuleID: z.string(), File: z.string(), StartLine: z.number(), Commit: z.string() })
  .transform(({ RuleID: rule, File: file, StartLine: line, Commit: commit }) => ({
    rule,
    file,
    line,
    commit,
  }));

export type ReportedFinding = z.infer<typeof finding>;

/** Errors: `SecretScanError` for anything that is not a report. */
export function parseReport(text: string): ReportedFinding[] {
  try {
    return z.array(finding).parse(JSON.parse(text));
  } catch (cause) {
    throw new SecretScanError('gitleaks wrote no report', { cause });
  }
}
