/**
 * How much longer the dispatcher looks for a run among ten thousand rows than among ten. The rows are what years leave:
 * almost all of runs that have ended, in one repository.
 */
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { openDatabaseReadOnly } from '../../src/adapters/sqlite/open-database-read-only.js';
import type { Database } from '../../src/domain/run/stores.js';
import { createRunLookup } from '../../src/webhook/dispatch/run-lookup.js';
import { stateRow } from '../../test/support/webhook/rows.js';
import { inDirectory } from '../base/clean-up.js';
import { median, ratioFigure, type Figure, type Round } from '../base/figure.js';
import { interleaved } from '../base/interleave.js';

const FEW = 10;
const MANY = 10_000;
const LIVING = 5;
const LOOK_UPS = 400;
const REPO_ID = 7;

/** Milliseconds of a look-up are medians of a round. */
export async function lookupRatio(rounds: number): Promise<Figure> {
  return inDirectory(async (directory) => {
    const readers = await Promise.all(
      [FEW, MANY].map((count) => filled(join(directory, `${String(count)}.db`), count)),
    );
    const [few, many] = readers;
    if (few === undefined || many === undefined) throw new Error('no database');
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const times = await interleaved(
        ['few', 'many'],
        { few: () => lookUp(few, FEW), many: () => lookUp(many, MANY) },
        LOOK_UPS,
      );
      // The first one warms up.
      if (round > 0) measured.push({ measured: median(times.many), floor: median(times.few) });
    }
    for (const reader of readers) await reader.close();
    return ratioFigure(measured, { goal: 1.2, better: 'less', unit: 'ms' });
  });
}

/** A database as the webhook has it open. */
async function filled(file: string, count: number): Promise<Database> {
  const writer = await openDatabase(file);
  await writer.transaction(async ({ forgeState }) => {
    for (let number = 1; number <= count; number += 1)
      await forgeState.upsert(
        stateRow({
          issueNumber: number,
          slug: `coder-alice-demo-${String(number)}-abc12`,
          prNumber: count + number,
          status: number > count - LIVING ? 'frozen' : 'destroyed',
          repoId: REPO_ID,
        }),
      );
  });
  await writer.close();
  return openDatabaseReadOnly(file);
}

/** All that one delivery may have looked up, about a comment on the pull request of a run that goes on. */
async function lookUp(database: Database, count: number): Promise<void> {
  const runs = createRunLookup(database);
  const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 2 * count } as const;
  const hint = { subject, repoId: REPO_ID, isPull: true, headRef: `bot-bottle/${String(count)}-abc12` };
  const found = await runs.find(hint);
  const holder = await runs.holderOf({ ...subject, number: count });
  const lives = await database.forgeState.livesIn(REPO_ID);
  if (found?.issueNumber !== count || holder?.issueNumber !== count || !lives)
    throw new Error('the run was not found');
}
