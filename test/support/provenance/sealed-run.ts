/** A run's record in memory, sealed by somebody whose word is taken: what is tested is what is done with it. */
import { entryOf } from '../../../src/domain/provenance/chain.js';
import { publishedInRows } from '../../../src/domain/provenance/published.js';
import type {
  Columns,
  LedgerEntry,
  RecordedRow,
  RecordSource,
  RunRecord,
  Seal,
} from '../../../src/domain/provenance/record.js';
import {
  nextSeal,
  type EnvelopeReader,
  type OpenedEnvelope,
  type SealReason,
  type Signer,
  type Statement,
} from '../../../src/domain/provenance/seal.js';

export const SLUG = 'demo-a-b-1-abcde';
export const COMMIT = 'c0'.repeat(20);
const KEY = 'k1';

/** Envelopes are their statements; one that is told to be bad is signed by nobody. */
export const READER: EnvelopeReader = {
  open(envelope): OpenedEnvelope {
    const { statement, keyId } = JSON.parse(envelope) as { statement: Statement; keyId: string };
    return keyId === 'bad'
      ? { kind: 'problem', problem: 'its signature is bad', claims: statement }
      : { kind: 'opened', statement, keyId };
  },
};

export function signerOf(keyId: string = KEY): Signer {
  return { sign: (statement) => ({ keyId, envelope: JSON.stringify({ statement, keyId }) }) };
}

export function row(source: RecordSource, columns: Columns): RecordedRow {
  return { source, columns: { slug: SLUG, ...columns } };
}

export const ROWS: readonly RecordedRow[] = [
  row('run', { agentName: 'coder' }),
  row('turn', { turn: 1, event: 'begun', detail: '{}' }),
  row('operation', { id: '1-1', outcome: 'ok' }),
  row('turn', {
    ...{ turn: 1, event: 'ended' },
    detail: JSON.stringify({ publish: { kind: 'published', head: COMMIT } }),
  }),
  row('operatorCommand', { id: 'freeze' }),
];

/** Entries of the rows, each after the one before. */
export function entriesOf(rows: readonly RecordedRow[], slug = SLUG): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (const [index, one] of rows.entries()) {
    const previous = entries.at(-1)?.hash ?? '';
    entries.push(entryOf(one, { seq: 10 + index, slug, n: index + 1, previous }));
  }
  return entries;
}

/** The next seal over so many entries. */
export function sealOver(
  record: RunRecord,
  count: number,
  reason: SealReason,
  signer: Signer = signerOf(),
): Seal {
  const head = record.entries[count - 1];
  if (head === undefined) throw new Error('no such entry');
  const commits = publishedInRows(record.rows.slice(0, count));
  return nextSeal(
    signer,
    { head, last: record.seals.at(-1), commits },
    { reason, at: 1_000 * (record.seals.length + 1) },
  );
}

export function withSeal(record: RunRecord, count: number, reason: SealReason, signer?: Signer): RunRecord {
  return { ...record, seals: [...record.seals, sealOver(record, count, reason, signer)] };
}

/** Frozen after its third row, and ended. */
export function endedRun(): RunRecord {
  const open: RunRecord = { slug: SLUG, phase: 'destroyed', rows: ROWS, entries: entriesOf(ROWS), seals: [] };
  return withSeal(withSeal(open, 3, 'frozen'), ROWS.length, 'destroyed');
}

/** The chain made anew by somebody who can hash. */
export function rehashed(record: RunRecord, rows: readonly RecordedRow[]): RunRecord {
  return { ...record, rows, entries: entriesOf(rows) };
}

export function envelopeOf(statement: unknown, keyId = KEY): string {
  return JSON.stringify({ statement, keyId });
}
