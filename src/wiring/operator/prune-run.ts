import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { sealRun } from '../../activities/rows/seal-run.js';
import { homeReader, homeSigner } from '../../adapters/dsse/signing-keys.js';
import { openDatabase } from '../../adapters/sqlite/open-database.js';
import { notFound, refused } from '../../cli/base/errors.js';
import { dayOf } from '../../domain/run/budget.js';
import { verifyRecord } from '../../domain/provenance/verify-record.js';
import { operatorName } from './operator-name.js';

/**
 * Who prunes and why is a row of the record, the seal after it is the tombstone, and only then the rows go: one transaction,
 * beside a worker that runs or not. Errors: `CliError`, with why not.
 */
export async function pruneRun(
  home: string,
  slug: string,
  why: string | null,
): Promise<{ readonly rows: number }> {
  const database = await openDatabase(path.join(home, 'bot-bottle.db'));
  try {
    return await database.transaction(async (stores) => {
      const { provenance, operatorLog, runs } = stores;
      const [record] = await provenance.records([slug]);
      const run = await runs.run(slug);
      if (record === undefined) throw notFound(`nothing is recorded of ${slug}`);
      const verdict = verifyRecord(record, homeReader(home));
      if (verdict.pruned) throw refused(`${slug} was pruned already`);
      if (!verdict.ended || run === undefined)
        throw refused(`${slug} has not ended: bot-bottle signal ${slug} destroy ends it`);
      // The day's budget is counted from these rows.
      if ((await runs.turns(slug)).some((turn) => turn.at >= dayOf(Date.now()).begins))
        throw refused(`${slug} ran today, and the day’s budget counts it: prune it tomorrow (UTC)`);
      if (verdict.problems.length > 0)
        throw refused(
          `the record of ${slug} is not whole, and pruning would hide how: bot-bottle provenance verify ${slug}`,
        );
      const at = Date.now();
      await operatorLog.append({
        ...{ id: randomUUID(), at, who: operatorName(), kind: 'prune', slug, workflowId: run.workflowId },
        detail: why === null ? {} : { reason: why },
      });
      await sealRun(stores, homeSigner(home), { slug, reason: 'pruned', at });
      return { rows: await provenance.prune(slug) };
    });
  } finally {
    await database.close();
  }
}
