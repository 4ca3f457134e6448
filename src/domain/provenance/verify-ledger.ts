/** The chain of runs: the entries of all runs are numbered without gaps, and each run's first names one that came before it. Pure. */
import type { LedgerEntry } from './record.js';
import type { Problem } from './verify-record.js';

type Place = Pick<LedgerEntry, 'seq' | 'slug' | 'n' | 'previous' | 'hash'>;

/** @param places of all runs, by `seq` */
export function verifyLedger(places: readonly Place[]): readonly Problem[] {
  const problems: Problem[] = [];
  let before: Place | undefined;
  for (const place of places) {
    const expected = (before?.seq ?? 0) + 1;
    if (place.seq !== expected)
      problems.push({
        kind: 'dropped',
        what: `entries ${String(expected)} to ${String(place.seq - 1)} of the ledger of all runs`,
      });
    const isLinked = place.n !== 1 || place.seq !== expected || place.previous === (before?.hash ?? '');
    if (!isLinked)
      problems.push({
        kind: 'changed',
        what: `run ${place.slug} does not follow what was recorded before it`,
      });
    before = place;
  }
  return problems;
}
