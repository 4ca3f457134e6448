import type { NoticeTable } from '../../domain/run/notices.js';
import type { StateDb } from './state-tables.js';

/** Of one statement: each is a parameter. */
const IDS_AT_ONCE = 500;

/** Tables `notice` and `frozen_run`. */
export function createNoticeTable(db: StateDb): NoticeTable {
  return {
    frozen: (reasons) =>
      db
        .selectFrom('frozenRun')
        // Without a row where a later life of the issue has it.
        .innerJoin('forgeState', 'forgeState.slug', 'frozenRun.slug')
        .select(['frozenRun.slug', 'forgeState.agentName', 'forgeState.issueUrl', 'frozenRun.since'])
        .select((row) => row.ref('frozenRun.reason').$notNull().as('reason'))
        .where('frozenRun.reason', 'in', reasons)
        .orderBy('frozenRun.since')
        .execute(),
    all: () => db.selectFrom('notice').selectAll().execute(),
    write: async (rows) => {
      for (const { id, hook, state, tries, firstAt, dueAt } of rows) {
        const stored = { id, hook, state, tries, firstAt, dueAt };
        await db
          .insertInto('notice')
          .values(stored)
          .onConflict((conflict) => conflict.columns(['hook', 'id']).doUpdateSet(stored))
          .execute();
      }
    },
    forget: async (hook, ids) => {
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
        await db
          .deleteFrom('notice')
          .where('hook', '=', hook)
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .execute();
    },
  };
}
