import assert from 'node:assert/strict';
import { rowOf } from '../../../src/cli/runs/row-of-target.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../../support/webhook/rows.js';

const target = (owner: string, repo: string, number: number) =>
  ({ kind: 'subject', subject: { forge: 'gitea', owner, repo, number } }) as const;

/** Rows in memory, and how often they were looked for without regard to case. */
function rowsOf(
  ...rows: readonly ForgeStateRow[]
): Pick<Database, 'forgeState'> & { readonly looks: number } {
  let looks = 0;
  const named = (row: ForgeStateRow): string => `${row.owner}/${row.repo}`;
  const has = (row: ForgeStateRow, number: number): boolean =>
    row.issueNumber === number || row.prNumber === number;
  const forgeState: Partial<Database['forgeState']> = {
    get: ({ owner, repo, number }) =>
      Promise.resolve(rows.find((row) => named(row) === `${owner}/${repo}` && row.issueNumber === number)),
    ofNumber: ({ owner, repo, number }) =>
      Promise.resolve(rows.filter((row) => named(row) === `${owner}/${repo}` && has(row, number))),
    ofNumberInAnyCase: ({ owner, repo, number }) => {
      looks += 1;
      const name = `${owner}/${repo}`.toLowerCase();
      return Promise.resolve(rows.filter((row) => named(row).toLowerCase() === name && has(row, number)));
    },
  };
  return {
    forgeState: forgeState as Database['forgeState'],
    get looks() {
      return looks;
    },
  };
}

describe('the row of the run that is meant', () => {
  const slugOf = async (
    database: Pick<Database, 'forgeState'>,
    ...named: Parameters<typeof target>
  ): Promise<string | undefined> => (await rowOf(database, target(...named)))?.slug;

  it('is found whatever the case of owner and repository, as the forge finds it', async () => {
    const database = rowsOf(stateRow({ slug: 'issue', prNumber: 31 }));
    assert.equal(await slugOf(database, 'alice', 'Demo', 12), 'issue');
    assert.equal(await slugOf(database, 'ALICE', 'demo', 31), 'issue');
    assert.equal(await slugOf(database, 'alice', 'demos', 12), undefined);
  });

  it('is looked for as it was written first', async () => {
    const database = rowsOf(stateRow({ slug: 'small' }), stateRow({ slug: 'large', repo: 'Demo' }));
    assert.equal(await slugOf(database, 'alice', 'Demo', 12), 'large');
    assert.equal(await slugOf(database, 'alice', 'demo', 12), 'small');
    assert.equal(database.looks, 0);
  });

  it('is that of the issue, and of several the one that goes on', async () => {
    const database = rowsOf(
      stateRow({ slug: 'ended', status: 'destroyed', updatedAt: 9 }),
      stateRow({ slug: 'goes-on', owner: 'Alice', status: 'frozen', updatedAt: 1 }),
      stateRow({ slug: 'of-a-pull', issueNumber: 3, prNumber: 12, updatedAt: 10 }),
    );
    assert.equal(await slugOf(database, 'alice', 'DEMO', 12), 'goes-on');
  });
});
