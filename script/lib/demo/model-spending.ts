/** What a run used of its model, from the rows that the worker keeps of its sessions. */
import { join } from 'node:path';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { SessionRow } from '../../../src/domain/run/rows.js';

export interface ModelSpending {
  /** As the credential proxy metered it; the input has what came from the provider's cache. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** As the CLI printed it; `null` when it did not. */
  readonly reportedUsd: number | null;
}

/** `null` for a run without a turn that ended. */
export async function spendingOf(home: string, slug: string): Promise<ModelSpending | null> {
  const database = openDatabaseReadOnly(join(home, 'bot-bottle.db'));
  try {
    const rows = await database.sessions.ofRun(slug);
    if (rows.length === 0) return null;
    const sum = (amount: (row: SessionRow) => number): number =>
      rows.reduce((total, row) => total + amount(row), 0);
    return {
      inputTokens: sum(({ inputTokens }) => inputTokens),
      cachedTokens: sum(({ cachedTokens }) => cachedTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      usd: sum(({ microUsd }) => microUsd) / 1e6,
      reportedUsd: rows.every(({ reportedUsd }) => reportedUsd === null)
        ? null
        : sum(({ reportedUsd }) => reportedUsd ?? 0),
    };
  } finally {
    await database.close();
  }
}
