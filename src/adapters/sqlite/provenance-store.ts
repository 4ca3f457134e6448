import {
  RECORD_SOURCES,
  type Columns,
  type ProvenanceStore,
  type RecordedRow,
} from '../../domain/provenance/record.js';
import { headOf } from './ledger.js';
import type { StateDb } from './state-tables.js';

/** Tables `provenance_entry` and `provenance_seal` (append-only). Errors: `StoreError`. */
export function createProvenanceStore(db: StateDb): ProvenanceStore {
  return {
    record: async (slug) => {
      const rows: RecordedRow[] = [];
      for (const source of RECORD_SOURCES) rows.push(...(await rowsOf(db, source, slug)));
      const state = await db
        .selectFrom('forgeState')
        .select('phase')
        .where('slug', '=', slug)
        .executeTakeFirst();
      return {
        slug,
        phase: state?.phase ?? null,
        rows,
        entries: await db
          .selectFrom('provenanceEntry')
          .selectAll()
          .where('slug', '=', slug)
          .orderBy('n')
          .execute(),
        seals: await db
          .selectFrom('provenanceSeal')
          .selectAll()
          .where('slug', '=', slug)
          .orderBy('n')
          .execute(),
      };
    },
    head: (slug) => headOf(db, slug),
    lastSeal: (slug) =>
      db
        .selectFrom('provenanceSeal')
        .selectAll()
        .where('slug', '=', slug)
        .orderBy('n', 'desc')
        .limit(1)
        .executeTakeFirst(),
    addSeal: async (seal) => {
      await db.insertInto('provenanceSeal').values(seal).execute();
    },
    unsealed: async () => {
      const resting = await db
        .selectFrom('forgeState')
        .select(['slug', 'status'])
        .where('status', 'in', ['frozen', 'destroyed'])
        .where('slug', 'not in', db.selectFrom('provenanceSeal').select('slug'))
        .where('slug', 'in', db.selectFrom('provenanceEntry').select('slug'))
        .orderBy('slug')
        .execute();
      return resting.map(({ slug, status }) => ({
        slug,
        reason: status === 'destroyed' ? 'destroyed' : 'frozen',
      }));
    },
    slugs: async () => {
      const tables = [...RECORD_SOURCES, 'provenanceEntry', 'provenanceSeal', 'forgeState'] as const;
      const found = new Set<string>();
      for (const name of tables)
        for (const { slug } of await db.selectFrom(name).select('slug').distinct().execute())
          found.add(slug ?? '');
      return [...found].sort();
    },
    places: () =>
      db
        .selectFrom('provenanceEntry')
        .select(['seq', 'slug', 'n', 'previous', 'hash'])
        .orderBy('seq')
        .execute(),
  };
}

async function rowsOf(db: StateDb, source: RecordedRow['source'], slug: string): Promise<RecordedRow[]> {
  const all = db.selectFrom(source).selectAll();
  const stored =
    slug === ''
      ? source === 'operatorCommand'
        ? await all.where('slug', 'is', null).execute()
        : []
      : await all.where('slug', '=', slug).execute();
  return stored.map((columns) => ({ source, columns: columns as unknown as Columns }));
}
