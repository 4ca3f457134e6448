import { sql } from 'kysely';
import type { StateDb } from './state-tables.js';

/** Rows of a run may go once a seal says so, which is there for good; no table may be emptied otherwise. */
export async function letPrune(db: StateDb): Promise<void> {
  for (const name of ['run', 'turn', 'operation', 'proposal', 'proposal_decision']) {
    await sql`drop trigger ${sql.id(`${name}_no_delete`)}`.execute(db);
    await sql`create trigger ${sql.id(`${name}_no_delete`)} before delete on ${sql.id(name)}
      when not exists (select 1 from provenance_seal where slug = old.slug and reason = 'pruned')
      begin select raise(abort, ${sql.lit(`table ${name} is append-only`)}); end`.execute(db);
  }
}
