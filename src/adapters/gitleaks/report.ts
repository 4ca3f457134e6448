import { SecretScanError } from '../../domain/base/errors.js';

/** What we use of a finding in gitleaks' JSON report. */
export interface ReportedFinding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  /** Empty outside git. */
  readonly commit: string;
}

/** Errors: `SecretScanError` for anything that is not a report. */
export function parseReport(text: string): ReportedFinding[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SecretScanError('gitleaks wrote no report', { cause });
  }
  if (!Array.isArray(value)) throw new SecretScanError('gitleaks wrote something else than a report');
  return value.map(toFinding);
}

function toFinding(value: unknown): ReportedFinding {
  if (typeof value === 'object' && value !== null) {
    const { RuleID, File, StartLine, Commit } = value as Readonly<Record<string, unknown>>;
    if (
      typeof RuleID === 'string' &&
      typeof File === 'string' &&
      typeof StartLine === 'number' &&
      typeof Commit === 'string'
    )
      return { rule: RuleID, file: File, line: StartLine, commit: Commit };
  }
  throw new SecretScanError('gitleaks reported a finding of an unknown shape');
}
