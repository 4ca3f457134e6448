import { z } from 'zod';
import { SecretScanError } from '../../domain/base/errors.js';

/** What we use of a finding in gitleaks' JSON report. */
export interface ReportedFinding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  /** Empty outside git. */
  readonly commit: string;
}

const reportSchema = z.array(
  z.object({ RuleID: z.string(), File: z.string(), StartLine: z.number(), Commit: z.string() }),
);

/** Errors: `SecretScanError` for anything that is not a report. */
export function parseReport(text: string): ReportedFinding[] {
  try {
    const findings = reportSchema.parse(JSON.parse(text));
    return findings.map((one) => ({
      rule: one.RuleID,
      file: one.File,
      line: one.StartLine,
      commit: one.Commit,
    }));
  } catch (cause) {
    throw new SecretScanError('gitleaks wrote no report', { cause });
  }
}
