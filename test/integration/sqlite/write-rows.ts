/** Child process of open.test.ts: opens the database and writes rows of its own, one transaction each. */
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { stateRow } from '../../support/webhook/rows.js';

const [file = '', owner = '', count = ''] = process.argv.slice(2);
const database = await openDatabase(file);
for (let number = 1; number <= Number(count); number += 1) {
  await database.transaction(async ({ forgeState, runs }) => {
    await forgeState.upsert(stateRow({ owner: `o${owner}`, issueNumber: number }));
    await runs.appendOperations([
      {
        slug: 'shared',
        turn: 1,
        id: `${owner}-${String(number)}`,
        at: number,
        operation: 'read_issue',
        target: '',
        outcome: 'ok',
        text: '',
      },
    ]);
  });
}
await database.close();
