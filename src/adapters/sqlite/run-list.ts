import type { RunList } from '../../domain/run/run-list.js';
import { stringList } from './json-column.js';
import type { StateDb } from './state-tables.js';

/** Tables `run` and `forge_state`. Errors: `StoreError` for a row whose JSON is corrupt. */
export function createRunList(db: StateDb): RunList {
  return {
    page: async ({ slug, repo, agent, phase, reason, since, until }, limit, after) => {
      let query = db
        .selectFrom('run')
        .leftJoin('forgeState as state', 'state.slug', 'run.slug')
        .selectAll('run')
        .select(['state.status', 'state.phase', 'state.reason', 'state.prNumber', 'state.prUrl'])
        .orderBy('run.createdAt', 'desc')
        .orderBy('run.slug', 'desc')
        .limit(limit);
      if (repo !== undefined) {
        const name = `${repo.owner}/${repo.repo}`.toLowerCase();
        // `$` follows `#`: all subjects of the repository are between.
        query = query.where((row) => {
          const subject = row.fn<string>('lower', ['run.subject']);
          return row.and([row(subject, '>=', `${name}#`), row(subject, '<', `${name}$`)]);
        });
      }
      if (slug !== undefined) query = query.where('run.slug', '=', slug);
      if (agent !== undefined) query = query.where('run.agentName', '=', agent);
      if (phase !== undefined) query = query.where('state.phase', '=', phase);
      if (reason !== undefined) query = query.where('state.reason', '=', reason);
      if (since !== undefined) query = query.where('run.createdAt', '>=', since);
      if (until !== undefined) query = query.where('run.createdAt', '<', until);
      if (after !== undefined)
        // The first is for the index, which knows no `or`.
        query = query
          .where('run.createdAt', '<=', after.createdAt)
          .where((row) =>
            row.or([row('run.createdAt', '<', after.createdAt), row('run.slug', '<', after.slug)]),
          );
      return (await query.execute()).map((row) => ({
        ...row,
        bottleNames: stringList(row.bottleNames, `bottle_names of ${row.slug} in run`),
      }));
    },
  };
}
