import assert from 'node:assert/strict';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { OperatorCommandRow } from '../../../src/domain/run/rows.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const row = (n: number, slug: string | null = 's-1'): OperatorCommandRow => ({
  id: `run/${String(n)}`,
  at: 10 * n,
  who: 'alice@desk',
  kind: 'extend',
  detail: { ms: n },
  slug,
  workflowId: 'gitea:alice/demo#1',
});

describe('rows of what operators did, in SQLite', () => {
  const path = useTempDir();

  it('come back newest first, all of them or those of one run, and repeating one is no second row', async () => {
    const file = path('commands.db');
    const database = await openDatabase(file);
    try {
      for (const one of [row(1), row(2, 's-2'), row(3, null), row(1), { ...row(3), who: 'mallory' }])
        await database.operatorLog.append(one);
      assert.deepEqual(await database.operatorLog.latest(10), [row(3, null), row(2, 's-2'), row(1)]);
      assert.deepEqual(await database.operatorLog.latest(1), [row(3, null)]);
      assert.deepEqual(await database.operatorLog.latest(10, 's-2'), [row(2, 's-2')]);
      const reader = openDatabaseReadOnly(file);
      assert.deepEqual(await reader.operatorLog.latest(10, 's-1'), [row(1)]);
      await reader.close();
    } finally {
      await database.close();
    }
  });
});
