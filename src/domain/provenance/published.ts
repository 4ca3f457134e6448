import { fieldsOf, recordIn } from '../base/is-record.js';
import { isCommitId } from '../forge/issue.js';
import type { RecordedRow } from './record.js';

/** The commits that the run's turns published, by `open_pr` and when they ended, in order, each once. */
export function publishedCommits(details: readonly object[]): readonly string[] {
  const heads = details.flatMap((detail) => {
    const { publish, published } = detail as { readonly publish?: unknown; readonly published?: unknown };
    const byAgent = Array.isArray(published) ? published.map(headOf) : [];
    const { kind } = fieldsOf(publish);
    return kind === 'published' || kind === 'pushed' ? [...byAgent, headOf(publish)] : byAgent;
  });
  return [...new Set(heads)].filter((head) => typeof head === 'string').filter(isCommitId);
}

function headOf(work: unknown): unknown {
  return fieldsOf(work)['head'];
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
