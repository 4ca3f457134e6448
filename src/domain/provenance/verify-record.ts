/** Finds what was changed, dropped, inserted, reordered or cut off in a run's record, and names it. Pure. */
import { digestOfRow, digestOfText, hashOfEntry, keyOfRow } from './chain.js';
import type { LedgerEntry, RecordedRow, RunRecord, Seal } from './record.js';
import { publishedInRows } from './published.js';
import {
  sealPredicate,
  subjectsOf,
  type EnvelopeReader,
  type OpenedEnvelope,
  type SealPredicate,
} from './seal.js';

export type ProblemKind = 'changed' | 'dropped' | 'inserted' | 'reordered' | 'truncated' | 'signature';

export interface Problem {
  readonly kind: ProblemKind;
  /** Names row, entry or seal. May quote an agent. */
  readonly what: string;
}

export interface Verdict {
  readonly slug: string;
  readonly problems: readonly Problem[];
  readonly entries: number;
  /** How many of the entries a good seal covers. */
  readonly sealed: number;
  /** Whether a seal says that the run ended. */
  readonly ended: boolean;
  /** Whether a good seal says that its rows were removed on command. */
  readonly pruned: boolean;
}

export function verifyRecord(record: RunRecord, reader: EnvelopeReader): Verdict {
  const opened = record.seals.map((seal): OpenedSeal => ({ seal, opened: reader.open(seal.envelope) }));
  const pruned = prunedUpTo(record, opened);
  const seals = verifySeals(record, pruned, opened);
  return {
    slug: record.slug,
    problems: [...verifyEntries(record), ...verifyRows(record, pruned), ...seals.problems],
    entries: record.entries.length,
    sealed: seals.sealed,
    ended: seals.ended,
    pruned: pruned > 0,
  };
}

/** Number of the last entry whose row may be gone, by what is signed; 0 when nothing was pruned. */
function prunedUpTo({ slug, entries }: RunRecord, seals: readonly OpenedSeal[]): number {
  const numbers = seals.map(({ opened }) => {
    const signed = opened.kind === 'opened' ? sealPredicate(opened.statement) : undefined;
    if (signed?.reason !== 'pruned' || signed.slug !== slug) return 0;
    return entries.find(({ n }) => n === signed.entries)?.hash === signed.head ? signed.entries : 0;
  });
  return Math.max(0, ...numbers);
}

const entryName = ({ n, source, key }: LedgerEntry): string => `entry ${String(n)} (${source} ${key})`;

function verifyEntries({ slug, entries }: RunRecord): Problem[] {
  const problems: Problem[] = [];
  let expected = 1;
  let before: LedgerEntry | undefined;
  for (const entry of entries) {
    if (entry.slug !== slug)
      problems.push({ kind: 'changed', what: `${entryName(entry)} names another run` });
    if (entry.n > expected)
      problems.push({ kind: 'dropped', what: `entries ${String(expected)} to ${String(entry.n - 1)}` });
    else if (entry.n < expected) problems.push({ kind: 'reordered', what: entryName(entry) });
    if (hashOfEntry(entry) !== entry.hash) problems.push({ kind: 'changed', what: entryName(entry) });
    else if (before !== undefined && before.n === entry.n - 1 && entry.previous !== before.hash)
      problems.push({ kind: 'changed', what: `${entryName(entry)} does not follow the one before` });
    if (before !== undefined && entry.seq <= before.seq)
      problems.push({ kind: 'reordered', what: entryName(entry) });
    expected = entry.n + 1;
    before = entry;
  }
  return problems;
}

const rowKey = (source: string, key: string): string => `${source} ${key}`;

/** What operators did is not pruned. */
function mayBeGone({ n, source }: LedgerEntry, pruned: number): boolean {
  return n <= pruned && source !== 'operatorCommand';
}

function verifyRows({ rows, entries }: RunRecord, pruned: number): Problem[] {
  const problems: Problem[] = [];
  const byKey = new Map<string, RecordedRow>();
  for (const row of rows) {
    const name = rowKey(row.source, keyOfRow(row));
    if (byKey.has(name)) problems.push({ kind: 'inserted', what: `a second row ${name}` });
    byKey.set(name, row);
  }
  for (const entry of entries) {
    const { source, key, digest } = entry;
    const name = rowKey(source, key);
    const row = byKey.get(name);
    if (row === undefined && mayBeGone(entry, pruned)) continue;
    if (row === undefined) problems.push({ kind: 'dropped', what: `row ${name}` });
    else if (digestOfRow(row) !== digest) problems.push({ kind: 'changed', what: `row ${name}` });
    byKey.delete(name);
  }
  for (const name of byKey.keys()) problems.push({ kind: 'inserted', what: `row ${name}` });
  return problems;
}

/** To verify a signature takes as long as to hash fifty rows: it is done once. */
interface OpenedSeal {
  readonly seal: Seal;
  readonly opened: OpenedEnvelope;
}

interface SealState {
  readonly problems: readonly Problem[];
  readonly sealed: number;
  readonly ended: boolean;
}

function verifySeals(record: RunRecord, pruned: number, seals: readonly OpenedSeal[]): SealState {
  const problems: Problem[] = [];
  let sealed = 0;
  let ended = false;
  let before: Seal | undefined;
  for (const { seal, opened } of seals) {
    const expected = (before?.n ?? 0) + 1;
    if (seal.n > expected)
      problems.push({ kind: 'dropped', what: `seals ${String(expected)} to ${String(seal.n - 1)}` });
    else if (seal.n < expected) problems.push({ kind: 'reordered', what: `seal ${String(seal.n)}` });
    const found = verifySeal(record, { seal, opened }, { before, pruned });
    problems.push(...found.problems);
    if (found.covers !== undefined) {
      sealed = Math.max(sealed, found.covers.entries);
      ended ||= found.covers.reason === 'destroyed';
    }
    before = seal;
  }
  return { problems: [...problems, ...missingSeals(record, { sealed, ended })], sealed, ended };
}

/** `covers`: what is signed, when the entries that it is about are these. */
function verifySeal(
  record: RunRecord,
  { seal, opened }: OpenedSeal,
  { before, pruned }: { readonly before: Seal | undefined; readonly pruned: number },
): { readonly problems: readonly Problem[]; readonly covers?: SealPredicate } {
  const name = `seal ${String(seal.n)}`;
  const changed = (...what: readonly string[]): Problem[] =>
    what.map((one) => ({ kind: 'changed', what: one }));
  if (opened.kind === 'problem')
    return { problems: [{ kind: 'signature', what: `${name}: ${opened.problem}` }] };
  const signed = sealPredicate(opened.statement);
  if (signed === undefined) return { problems: changed(`${name} is no seal of a run`) };
  if (opened.keyId !== seal.keyId) return { problems: changed(`${name} names another key`) };
  const wrong = wrongInSeal(record, seal, signed, before);
  if (wrong.length > 0) return { problems: changed(...wrong) };
  const uncovered = coverage(record, name, signed);
  if (uncovered !== undefined) return { problems: [uncovered] };
  // The turns that say which commits they were are gone: the signature alone says it.
  const problems =
    signed.entries <= pruned || namesCommits(record, signed, opened.statement.subject)
      ? []
      : changed(`${name}: its commits are not those of the turns`);
  return { problems, covers: signed };
}

/** What stands beside the envelope must be what is signed. */
function wrongInSeal(
  { slug }: RunRecord,
  seal: Seal,
  signed: SealPredicate,
  before: Seal | undefined,
): string[] {
  const name = `seal ${String(seal.n)}`;
  const isBeside =
    seal.slug === signed.slug &&
    seal.n === signed.n &&
    seal.at === signed.at &&
    seal.reason === signed.reason &&
    seal.entries === signed.entries &&
    slug === signed.slug;
  const previous = before === undefined ? '' : digestOfText(before.envelope);
  return [
    ...(isBeside ? [] : [`${name}: run, number, time, reason or count are not the signed ones`]),
    ...((before?.n === signed.n - 1 || signed.n === 1) && signed.previous !== previous
      ? [`${name} does not follow the one before`]
      : []),
  ];
}

function coverage({ entries }: RunRecord, name: string, signed: SealPredicate): Problem | undefined {
  const last = entries.find(({ n }) => n === signed.entries);
  if (last === undefined)
    return {
      kind: 'truncated',
      what: `${name} covers ${String(signed.entries)} entries, the last is not there`,
    };
  return last.hash === signed.head
    ? undefined
    : { kind: 'changed', what: `entry ${String(signed.entries)} is not the one that ${name} signed` };
}

function namesCommits(
  { slug, rows, entries }: RunRecord,
  signed: SealPredicate,
  subject: ReturnType<typeof subjectsOf>,
): boolean {
  const covered = new Set(
    entries.filter(({ n }) => n <= signed.entries).map(({ source, key }) => rowKey(source, key)),
  );
  const then = rows.filter((row) => row.source === 'turn' && covered.has(rowKey(row.source, keyOfRow(row))));
  const expected = subjectsOf(slug, signed.head, publishedInRows(then));
  return JSON.stringify(expected) === JSON.stringify(subject.map(({ name, digest }) => ({ name, digest })));
}

/** A run that rests was sealed when it came to rest: no turn and no operation can be newer than that. */
function missingSeals(
  { phase, entries }: RunRecord,
  { sealed, ended }: { readonly sealed: number; readonly ended: boolean },
): Problem[] {
  if (phase !== 'frozen' && phase !== 'destroyed') return [];
  if (entries.length === 0)
    return [{ kind: 'truncated', what: `nothing is recorded, and the run is ${phase}` }];
  const open = entries.find(({ n, source }) => n > sealed && (source === 'turn' || source === 'operation'));
  return [
    ...(open === undefined
      ? []
      : [{ kind: 'truncated', what: `no seal covers ${entryName(open)}, and the run is ${phase}` } as const]),
    ...(phase === 'destroyed' && !ended
      ? [{ kind: 'truncated', what: 'the run has ended, and the seal of its end is not there' } as const]
      : []),
  ];
}
