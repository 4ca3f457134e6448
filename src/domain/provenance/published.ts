import { recordIn } from '../base/is-record.js';
import { isCommitId } from '../forge/issue.js';
import type { RecordedRow } from './record.js';

/** The commits that the run's turns published, in order, each once. */
export function publishedCommits(details: readonly object[]): readonly string[] {
  const heads = details.flatMap((detail) => {
    const { publish } = detail as { readonly publish?: unknown };
    const { kind, head } = (publish ?? {}) as { readonly kind?: unknown; readonly head?: unknown };
    return (kind === 'published' || kind === 'pushed') && typeof head === 'string' ? [head] : [];
  });
  return [...new Set(heads)].filter(isCommitId);
}

/** The same of rows as they are stored. */
export function publishedInRows(rows: readonly RecordedRow[]): readonly string[] {
  return publishedCommits(
    rows.flatMap(({ source, columns }) => {
      if (source !== 'turn' || columns['event'] !== 'ended') return [];
      return [recordIn(String(columns['detail'])) ?? {}];
    }),
  );
}
