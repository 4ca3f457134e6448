import path from 'node:path';
import {
  currentKeyId,
  homeReader,
  homeSigner,
  publicPems,
  readerOf,
  rotateKey,
} from '../../adapters/dsse/signing-keys.js';
import { openDatabaseReadOnly } from '../../adapters/sqlite/open-database-read-only.js';
import { pruneRun } from './prune-run.js';
import type { ProvenanceDesk } from '../../cli/base/provenance-desk.js';
import { checkHome } from '../../config/home.js';
import { exportStatement, verifyExport } from '../../domain/provenance/exported.js';
import type { RunRecord } from '../../domain/provenance/record.js';
import { verifyLedger } from '../../domain/provenance/verify-ledger.js';
import { verifyRecord, type Verdict } from '../../domain/provenance/verify-record.js';

/** A few of many: a home may have years of them. */
const RUNS_AT_ONCE = 100;

/** The record of a home's runs. */
export function openProvenance(home: string): ProvenanceDesk {
  checkHome(home);
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  /** One moment of it, whatever is written meanwhile. */
  const record = async (slug: string): Promise<RunRecord | undefined> => {
    const [found] = await database.transaction(({ provenance }) => provenance.records([slug]));
    if (found === undefined) return undefined;
    return found.rows.length + found.entries.length + found.seals.length === 0 ? undefined : found;
  };
  return {
    record,
    verify: async (slug) => {
      const found = await record(slug);
      return found && verifyRecord(found, homeReader(home));
    },
    verifyAll: () =>
      database.transaction(async ({ provenance }) => {
        const reader = homeReader(home);
        const places = await provenance.places();
        const slugs = await provenance.slugs();
        const runs: Verdict[] = [];
        for (let at = 0; at < slugs.length; at += RUNS_AT_ONCE)
          for (const found of await provenance.records(slugs.slice(at, at + RUNS_AT_ONCE)))
            runs.push(verifyRecord(found, reader));
        return { runs, ledger: verifyLedger(places) };
      }),
    exported: async (slug) => {
      const found = await record(slug);
      return found && homeSigner(home).sign(exportStatement(found, Date.now())).envelope;
    },
    verifyExport: (envelope, pems) =>
      verifyExport(envelope, pems.length === 0 ? homeReader(home) : readerOf(pems)),
    prune: async (slug, why) => {
      const found = await record(slug);
      return found && pruneRun(home, slug, why);
    },
    keys: () => ({
      current: currentKeyId(home) ?? null,
      public: [...publicPems(home)].map(([id, pem]) => ({ id, pem })),
    }),
    rotateKey: () => rotateKey(home),
    close: () => database.close(),
  };
}
