import {
  RECORD_SOURCES,
  type Columns,
  type LedgerEntry,
  type ProvenanceStore,
  type RecordedRow,
  type RunRecord,
  type Seal,
} from '../../../domain/provenance/record.js';
import { inSql } from '../in-sql.js';
import type { StateDb } from '../state-tables.js';

/** All but what operators did. */
const PRUNED_SOURCES = RECORD_SOURCES.filter((source) => source !== 'operatorCommand');

/** Tables `provenance_entry` and `provenance_seal` (append-only). Errors: `StoreError`. */
export function createProvenanceStore(db: StateDb): ProvenanceStore {
  return {
    records: (slugs) => recordsOf(db, slugs),
    head: (slug) => newest<LedgerEntry>(db, 'provenance_entry', slug),
    lastSeal: (slug) => newest<Seal>(db, 'provenance_seal', slug),
    addSeal: async ({ slug, n, at, reason, entries, keyId, envelope }) => {
      const values = [slug, n, at, reason, entries, keyId, envelope];
      const insert = `insert into provenance_seal (slug, n, at, reason, entries, key_id, envelope)
        values (?, ?, ?, ?, ?, ?, ?)`;
      await inSql(db, insert, values);
    },
    unsealed: async () => {
      const resting = await db
        .selectFrom('forgeState')
        .select(['slug', 'status'])
        .where((eb) => {
          const sealed = db.selectFrom('provenanceSeal').select('slug');
          const ended = sealed.where('reason', 'in', ['destroyed', 'pruned']);
          return eb.or([
            eb.and([eb('status', '=', 'frozen'), eb('slug', 'not in', sealed)]),
            eb.and([eb('status', '=', 'destroyed'), eb('slug', 'not in', ended)]),
          ]);
        })
        .where('slug', 'in', db.selectFrom('provenanceEntry').select('slug'))
        .orderBy('slug')
        .execute();
      return resting.map(({ slug, status }) => ({
        slug,
        reason: status === 'destroyed' ? 'destroyed' : 'frozen',
      }));
    },
    prune: async (slug) => {
      await db
        .deleteFrom('proposalWaiting')
        .where('seq', 'in', db.selectFrom('proposal').select('seq').where('slug', '=', slug))
        .execute();
      let gone = 0;
      for (const source of PRUNED_SOURCES) {
        const [{ numDeletedRows } = { numDeletedRows: 0n }] = await db
          .deleteFrom(source)
          .where('slug', '=', slug)
          .execute();
        gone += Number(numDeletedRows);
      }
      return gone;
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

async function newest<T>(db: StateDb, table: string, slug: string): Promise<T | undefined> {
  const query = `select * from ${table} where slug = ? order by n desc limit 1`;
  const [row] = await inSql<T>(db, query, [slug]);
  return row;
}

/** A few queries for all of them, however many there are. */
async function recordsOf(db: StateDb, slugs: readonly string[]): Promise<RunRecord[]> {
  const rows: RecordedRow[] = [];
  for (const source of RECORD_SOURCES) rows.push(...(await rowsOf(db, source, slugs)));
  const states = await db
    .selectFrom('forgeState')
    .select(['slug', 'phase'])
    .where('slug', 'in', slugs)
    .execute();
  const entries = await db
    .selectFrom('provenanceEntry')
    .selectAll()
    .where('slug', 'in', slugs)
    .orderBy('n')
    .execute();
  const seals = await db
    .selectFrom('provenanceSeal')
    .selectAll()
    .where('slug', 'in', slugs)
    .orderBy('n')
    .execute();
  const rowsBySlug = bySlug(rows, ({ columns }) => String(columns['slug'] ?? ''));
  const entriesBySlug = bySlug(entries, ({ slug }) => slug);
  const sealsBySlug = bySlug(seals, ({ slug }) => slug);
  const phases = new Map(states.map(({ slug, phase }) => [slug, phase]));
  return slugs.map((slug) => ({
    slug,
    phase: phases.get(slug) ?? null,
    rows: rowsBySlug.get(slug) ?? [],
    entries: entriesBySlug.get(slug) ?? [],
    seals: sealsBySlug.get(slug) ?? [],
  }));
}

async function rowsOf(
  db: StateDb,
  source: RecordedRow['source'],
  slugs: readonly string[],
): Promise<RecordedRow[]> {
  const all = db.selectFrom(source).selectAll();
  const stored = await all.where('slug', 'in', slugs).execute();
  if (source === 'operatorCommand' && slugs.includes(''))
    stored.push(...(await all.where('slug', 'is', null).execute()));
  return stored.map((columns) => ({ source, columns: columns as unknown as Columns }));
}

function bySlug<T>(all: readonly T[], slugOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const slug = slugOf(one);
    const group = groups.get(slug);
    if (group === undefined) groups.set(slug, [one]);
    else group.push(one);
  }
  return groups;
}
