import type { StateDb } from './state-tables.js';

/** The list of runs goes through them from the newest on, and stops when a page is full. */
export async function indexRunList(db: StateDb): Promise<void> {
  await db.schema.createIndex('run_by_created_at_slug').on('run').columns(['created_at', 'slug']).execute();
}
