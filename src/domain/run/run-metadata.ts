import { isRecord, recordIn } from '../base/is-record.js';
import { isForgeName, isForgeNumber, isOwnerName, FORGE_KINDS, LOCAL } from '../forge/issue.js';
import type { SubjectRef } from '../forge/issue.js';

/** `metadata.json` in the run's directory: whose it is, for a host that cannot ask the home machine. */
export interface RunMetadata {
  readonly workflowId: string;
  readonly repoId: number | null;
  /** Where the repository was when the last turn began. */
  readonly subject: SubjectRef;
  readonly branch: string;
  /** How often the run had been moved when this host took it; absent: never. */
  readonly epoch?: number;
}

export const METADATA_FILE = 'metadata.json';

/** `undefined` for what is no such file. */
export function parseRunMetadata(text: string): RunMetadata | undefined {
  const value: Partial<Record<keyof RunMetadata, unknown>> = recordIn(text) ?? {};
  const { workflowId, repoId, subject, branch, epoch } = value;
  if (typeof workflowId !== 'string' || typeof branch !== 'string') return undefined;
  if (typeof repoId !== 'number' && repoId !== null) return undefined;
  if (!isRecord(subject)) return undefined;
  const { forge, owner, repo, number } = subject as Partial<Record<keyof SubjectRef, unknown>>;
  const kind = ([...FORGE_KINDS, LOCAL] as const).find((known) => known === forge);
  if (kind === undefined || !isOwnerName(owner) || !isForgeName(repo) || !isForgeNumber(number))
    return undefined;
  const known = { workflowId, repoId, subject: { forge: kind, owner, repo, number }, branch };
  return typeof epoch === 'number' ? { ...known, epoch } : known;
}
