import assert from 'node:assert/strict';
import { entryOf } from '../../../../src/domain/provenance/chain.js';
import type { LedgerEntry, RunRecord, Seal } from '../../../../src/domain/provenance/record.js';
import { SEAL_PREDICATE, STATEMENT_TYPE, type Statement } from '../../../../src/domain/provenance/seal.js';
import { verifyRecord } from '../../../../src/domain/provenance/verify-record.js';
import {
  COMMIT,
  endedRun,
  entriesOf,
  envelopeOf,
  READER,
  rehashed,
  row,
  ROWS,
  sealOver,
  signerOf,
  SLUG,
  withSeal,
} from '../../../support/provenance/sealed-run.js';

const problems = (record: RunRecord): string[] =>
  verifyRecord(record, READER).problems.map(({ kind, what }) => `${kind}: ${what}`);
const key = (...parts: readonly unknown[]): string => JSON.stringify([SLUG, ...parts]);
const BEGUN = `turn ${key(1, 'begun')}`;
const OPERATION = `operation ${key('1-1')}`;

/** @param change of the entry with this number, its hash made anew */
function withEntry(record: RunRecord, n: number, change: Partial<LedgerEntry>): RunRecord {
  const entries = record.entries.map((entry) => {
    const one = record.rows[n - 1];
    return entry.n === n && one !== undefined
      ? entryOf(one, { seq: entry.seq, slug: entry.slug, n, previous: entry.previous, ...change })
      : entry;
  });
  return { ...record, entries };
}

function withSealed(record: RunRecord, n: number, change: Partial<Seal>): RunRecord {
  return { ...record, seals: record.seals.map((seal) => (seal.n === n ? { ...seal, ...change } : seal)) };
}

const unsealed = (): RunRecord => ({ ...endedRun(), phase: 'running', seals: [] });

describe('the record of a run that nobody touched', () => {
  it('has no problem, and says how far it is sealed', () => {
    const whole = { slug: SLUG, problems: [], entries: 5, pruned: false };
    assert.deepEqual(verifyRecord(endedRun(), READER), { ...whole, sealed: 5, ended: true });
    assert.deepEqual(verifyRecord(unsealed(), READER), { ...whole, sealed: 0, ended: false });
    const frozen = withSeal({ ...unsealed(), phase: 'frozen' }, 4, 'frozen');
    assert.deepEqual(verifyRecord(frozen, READER), { ...whole, sealed: 4, ended: false });
  });

  it('may be taken over by a later life of its issue', () => {
    assert.deepEqual(problems({ ...unsealed(), phase: null }), []);
  });
});

describe('rows of a record', () => {
  it('that were changed, dropped, put in or doubled are named', () => {
    const record = unsealed();
    const rows = [...ROWS];
    rows[2] = row('operation', { id: '1-1', outcome: 'failed' });
    assert.deepEqual(problems({ ...record, rows }), [`changed: row ${OPERATION}`]);
    assert.deepEqual(problems({ ...record, rows: ROWS.filter((_, at) => at !== 2) }), [
      `dropped: row ${OPERATION}`,
    ]);
    assert.deepEqual(problems({ ...record, rows: [...ROWS, row('operation', { id: 'x' })] }), [
      `inserted: row operation ${key('x')}`,
    ]);
    assert.deepEqual(problems({ ...record, rows: [...ROWS, ...ROWS.slice(2, 3)] }), [
      `inserted: a second row ${OPERATION}`,
    ]);
  });
});

describe('entries of a record', () => {
  it('that say something else than what was hashed are named', () => {
    const record = unsealed();
    const [first] = record.entries;
    assert.ok(first);
    const entries = [{ ...first, seq: 9 }, ...record.entries.slice(1)];
    assert.deepEqual(problems({ ...record, entries }), [`changed: entry 1 (run ${key()})`]);
  });

  it('of another run, or behind another one, are named', () => {
    const record = unsealed();
    const last = `operatorCommand ["freeze"]`;
    assert.deepEqual(problems(withEntry(record, 5, { slug: 'other' })), [
      `changed: entry 5 (${last}) names another run`,
    ]);
    assert.deepEqual(problems(withEntry(record, 5, { previous: 'f'.repeat(64) })), [
      `changed: entry 5 (${last}) does not follow the one before`,
    ]);
  });

  it('that are gone are counted, at the beginning and within', () => {
    const record = unsealed();
    const from = (at: number): RunRecord => ({
      ...record,
      rows: ROWS.slice(at),
      entries: record.entries.slice(at),
    });
    assert.deepEqual(problems(from(2)), ['dropped: entries 1 to 2']);
    const without = { ...record, entries: record.entries.filter(({ n }) => n !== 2 && n !== 3) };
    assert.deepEqual(problems({ ...without, rows: ROWS.filter((_, at) => at !== 1 && at !== 2) }), [
      'dropped: entries 2 to 3',
    ]);
  });

  it('that changed places are named, in the run and among all runs', () => {
    const record = unsealed();
    const [one, two, three, ...rest] = record.entries;
    assert.ok(one && two && three);
    assert.deepEqual(
      problems({ ...record, entries: [one, three, two, ...rest] }).filter((text) => text.includes('reord')),
      [`reordered: entry 2 (${BEGUN})`, `reordered: entry 2 (${BEGUN})`],
    );
    assert.deepEqual(problems(withEntry(record, 5, { seq: 13 })), [
      'reordered: entry 5 (operatorCommand ["freeze"])',
    ]);
  });
});

describe('seals of a record', () => {
  it('are asked of every run that rests, over all of its turns and operations', () => {
    const truncated = (phase: string, record = unsealed()): string[] => problems({ ...record, phase });
    const end = 'truncated: the run has ended, and the seal of its end is not there';
    assert.deepEqual(truncated('frozen'), [
      `truncated: no seal covers entry 2 (${BEGUN}), and the run is frozen`,
    ]);
    assert.deepEqual(truncated('destroyed', withSeal(unsealed(), 2, 'frozen')), [
      `truncated: no seal covers entry 3 (${OPERATION}), and the run is destroyed`,
      end,
    ]);
    assert.deepEqual(truncated('destroyed', withSeal(unsealed(), 5, 'frozen')), [end]);
    const nothing: RunRecord = { slug: SLUG, phase: 'frozen', rows: [], entries: [], seals: [] };
    assert.deepEqual(problems(nothing), ['truncated: nothing is recorded, and the run is frozen']);
    assert.deepEqual(problems({ ...nothing, phase: 'running' }), []);
  });

  it('whose signature is bad cover nothing', () => {
    const record = withSeal(unsealed(), 5, 'destroyed', signerOf('bad'));
    const verdict = verifyRecord(record, READER);
    assert.deepEqual(problems(record), ['signature: seal 1: its signature is bad']);
    assert.deepEqual([verdict.sealed, verdict.ended], [0, false]);
  });

  for (const [what, change] of [
    ['run', { slug: 'other' }],
    ['time', { at: 5 }],
    ['reason', { reason: 'frozen' }],
    ['count', { entries: 4 }],
  ] as const)
    it(`say beside the signature what is signed: the ${what}`, () => {
      const record = { ...withSealed(endedRun(), 2, change), phase: 'running' };
      assert.deepEqual(problems(record), [
        'changed: seal 2: run, number, time, reason or count are not the signed ones',
      ]);
      assert.equal(verifyRecord(record, READER).sealed, 3);
    });

  it('say beside it the number and the key, too', () => {
    const running: RunRecord = { ...endedRun(), phase: 'running' };
    assert.deepEqual(problems(withSealed(running, 2, { n: 3 })), [
      'dropped: seals 2 to 2',
      'changed: seal 3: run, number, time, reason or count are not the signed ones',
    ]);
    assert.deepEqual(problems(withSealed(running, 2, { keyId: 'k2' })), [
      'changed: seal 2 names another key',
    ]);
  });

  it('of another run are none of this one', () => {
    const other = entriesOf(ROWS, 'other');
    const record: RunRecord = { ...unsealed(), slug: 'other', entries: other };
    const seal = sealOver(record, 5, 'frozen');
    assert.deepEqual(problems({ ...unsealed(), seals: [seal] }), [
      'changed: seal 1: run, number, time, reason or count are not the signed ones',
    ]);
  });

  it('that are gone or changed places are named', () => {
    const running: RunRecord = { ...endedRun(), phase: 'running' };
    const [first, second] = running.seals;
    assert.ok(first && second);
    assert.deepEqual(problems({ ...running, seals: [second] }), ['dropped: seals 1 to 1']);
    assert.deepEqual(problems({ ...running, seals: [first, second, first] }).slice(0, 1), [
      'reordered: seal 1',
    ]);
    const only = sealOver({ ...running, seals: [{ ...first, n: 0 }] }, 5, 'frozen');
    assert.deepEqual(problems({ ...running, seals: [only] }), [
      'changed: seal 1 does not follow the one before',
    ]);
    const another = sealOver({ ...running, seals: [] }, 2, 'frozen');
    assert.deepEqual(problems({ ...running, seals: [another, second] }), [
      'changed: seal 2 does not follow the one before',
    ]);
  });

  it('are about entries that are there, and these very ones', () => {
    const record: RunRecord = { ...endedRun(), phase: 'running' };
    const cut = { ...record, rows: ROWS.slice(0, 4), entries: record.entries.slice(0, 4) };
    assert.deepEqual(problems(cut), ['truncated: seal 2 covers 5 entries, the last is not there']);
    assert.equal(verifyRecord(cut, READER).sealed, 3);
    const rows = [...ROWS];
    rows[3] = row('turn', { turn: 1, event: 'ended', detail: '{}' });
    assert.deepEqual(problems(rehashed(record, rows)), [
      'changed: entry 5 is not the one that seal 2 signed',
    ]);
  });

  it('name the commits of the turns that they cover', () => {
    const record = unsealed();
    const signed = JSON.parse(sealOver(record, 5, 'frozen').envelope) as { statement: Statement };
    const [run] = signed.statement.subject;
    for (const subject of [
      [run],
      [run, { name: `commit:${COMMIT}`, digest: { gitCommit: 'd'.repeat(40) } }],
      [...signed.statement.subject, run],
    ]) {
      const envelope = envelopeOf({ ...signed.statement, subject });
      const seals = [{ ...sealOver(record, 5, 'frozen'), envelope }];
      assert.deepEqual(problems({ ...record, seals }), [
        'changed: seal 1: its commits are not those of the turns',
      ]);
    }
    // The commit was published later.
    assert.deepEqual(problems(withSeal(record, 3, 'frozen')), []);
  });

  it('are seals, and no other statement', () => {
    const seal = sealOver(unsealed(), 5, 'frozen');
    const { statement } = JSON.parse(seal.envelope) as { statement: Statement & { predicate: object } };
    for (const other of [
      { ...statement, predicateType: 'urn:other' },
      { ...statement, predicate: null },
      { ...statement, predicate: 'text' },
      ...['slug', 'previous', 'reason', 'head', 'n', 'at', 'entries'].map((name) => ({
        ...statement,
        predicate: { ...statement.predicate, [name]: undefined },
      })),
      { _type: STATEMENT_TYPE, predicateType: SEAL_PREDICATE, predicate: { ...statement.predicate, n: 1.5 } },
    ])
      assert.deepEqual(problems({ ...unsealed(), seals: [{ ...seal, envelope: envelopeOf(other) }] }), [
        'changed: seal 1 is no seal of a run',
      ]);
  });
});

describe('a record whose rows were removed on command', () => {
  const left = (record: RunRecord): RunRecord => ({
    ...record,
    rows: record.rows.filter(({ source }) => source === 'operatorCommand'),
  });

  it('is good with a seal that says so, and keeps what operators did', () => {
    const record = left(withSeal(endedRun(), 5, 'pruned'));
    const whole = { slug: SLUG, problems: [], entries: 5, sealed: 5, ended: true, pruned: true };
    assert.deepEqual(verifyRecord(record, READER), whole);
    assert.deepEqual(problems({ ...record, rows: [] }), ['dropped: row operatorCommand ["freeze"]']);
  });

  it('is not by any other seal', () => {
    for (const record of [
      endedRun(),
      withSeal(endedRun(), 5, 'pruned', signerOf('bad')),
      // Of other entries, which somebody has hashed.
      withSeal(rehashed(endedRun(), [...ROWS.slice(0, 4), row('operatorCommand', { id: 'x' })]), 5, 'pruned'),
    ]) {
      const told = left({ ...record, rows: ROWS, entries: endedRun().entries, phase: 'running' });
      assert.equal(problems(told).filter((text) => text.startsWith('dropped: row')).length, 4);
      assert.equal(verifyRecord(told, READER).pruned, false);
    }
  });

  it('is not by the seal of another run, nor of entries that are gone', () => {
    const entries = entriesOf(ROWS, 'other');
    const other = left(withSeal({ ...unsealed(), slug: 'other', entries }, 5, 'pruned'));
    assert.equal(verifyRecord(other, READER).pruned, true);
    assert.equal(verifyRecord({ ...other, slug: SLUG }, READER).pruned, false);
    const cut = left({ ...withSeal(unsealed(), 5, 'pruned'), entries: unsealed().entries.slice(0, 4) });
    assert.equal(verifyRecord(cut, READER).pruned, false);
    assert.ok(problems(cut).includes('truncated: seal 1 covers 5 entries, the last is not there'));
  });

  it('is not beyond what that seal covers', () => {
    const record = withSeal({ ...endedRun(), phase: 'running' }, 2, 'pruned');
    assert.deepEqual(problems({ ...record, rows: ROWS.slice(2) }), []);
    assert.deepEqual(problems({ ...record, rows: ROWS.filter((_, at) => at !== 2) }), [
      `dropped: row ${OPERATION}`,
    ]);
  });
});
