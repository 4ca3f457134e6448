import assert from 'node:assert/strict';
import { exportStatement, verifyExport } from '../../../../src/domain/provenance/exported.js';
import { publishedCommits } from '../../../../src/domain/provenance/published.js';
import type { RunRecord } from '../../../../src/domain/provenance/record.js';
import { EXPORT_PREDICATE, STATEMENT_TYPE } from '../../../../src/domain/provenance/seal.js';
import { WITNESSES } from '../../../../src/domain/provenance/witness.js';
import {
  COMMIT,
  endedRun,
  envelopeOf,
  READER,
  row,
  ROWS,
  SLUG,
} from '../../../support/provenance/sealed-run.js';

const verified = (record: unknown, keyId?: string) =>
  verifyExport(envelopeOf({ predicateType: EXPORT_PREDICATE, predicate: { record } }, keyId), READER);
const said = (record: unknown, keyId?: string): string[] =>
  verified(record, keyId).problems.map(({ kind, what }) => `${kind}: ${what}`);
const NONE = 'changed: it holds no record of a run';

describe('a record as a file', () => {
  it('is about the run and the commits that it published, and holds the whole of it', () => {
    const record = endedRun();
    const head = record.entries.at(-1)?.hash;
    assert.deepEqual(exportStatement(record, 5_000), {
      _type: STATEMENT_TYPE,
      subject: [
        { name: `run:${SLUG}`, digest: { sha256: head } },
        { name: `commit:${COMMIT}`, digest: { gitCommit: COMMIT } },
      ],
      predicateType: EXPORT_PREDICATE,
      predicate: { exportedAt: 5_000, record, witnesses: WITNESSES },
    });
    const empty: RunRecord = { slug: SLUG, phase: null, rows: [], entries: [], seals: [] };
    assert.deepEqual(exportStatement(empty, 1).subject, [{ name: `run:${SLUG}`, digest: { sha256: '' } }]);
  });

  it('is good when it is signed and nobody touched it', () => {
    const verdict = verifyExport(envelopeOf(exportStatement(endedRun(), 1)), READER);
    assert.deepEqual(verdict, {
      ...{ slug: SLUG, problems: [], entries: 5, sealed: 5, ended: true, pruned: false },
    });
  });

  it('names what was changed even where its signature is bad', () => {
    const signature = 'signature: the export: its signature is bad';
    assert.deepEqual(said(endedRun(), 'bad'), [signature]);
    const rows = ROWS.slice(1);
    assert.deepEqual(said({ ...endedRun(), rows }, 'bad'), [signature, `dropped: row run ["${SLUG}"]`]);
    assert.deepEqual(said(null, 'bad'), [signature, NONE]);
  });

  it('holds rows, entries and seals, each whole', () => {
    const record = endedRun();
    const [entry] = record.entries;
    const [seal] = record.seals;
    assert.ok(entry && seal);
    const without = (value: object, name: string): object =>
      Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
    for (const wrong of [
      ...[undefined, 'text', []],
      ...Object.keys(record).map((name) => without(record, name)),
      { ...record, phase: 7 },
      ...[null, { source: 7, columns: {} }, { source: 'run' }, { source: 'other', columns: {} }].map(
        (one) => ({
          ...record,
          rows: [...record.rows, one],
        }),
      ),
      ...[['a'], { a: 1 }, true].map((value) => ({
        ...record,
        rows: [...record.rows, { source: 'run', columns: { slug: value, agentName: 'coder' } }],
      })),
      { ...record, rows: [{ source: 'toString', columns: {} }] },
      ...Object.keys(entry).map((name) => ({
        ...record,
        entries: [...record.entries, without(entry, name)],
      })),
      ...Object.keys(seal).map((name) => ({ ...record, seals: [...record.seals, without(seal, name)] })),
      { ...record, entries: [...record.entries, { ...entry, seq: 1.5 }] },
      { ...record, seals: [...record.seals, 'text'] },
    ])
      assert.deepEqual(said(wrong), [NONE]);
    const nothing = { slug: '', entries: 0, sealed: 0, ended: false, pruned: false };
    assert.deepEqual({ ...verified(null), problems: [] }, { ...nothing, problems: [] });
  });

  it('may hold what is empty: no phase, and columns without a value', () => {
    const record = endedRun();
    const rows = ROWS.map((one) => ({ ...one, columns: { ...one.columns, later: null } }));
    assert.deepEqual(said({ ...record, phase: null, rows }), []);
  });

  it('is no seal, nor another statement', () => {
    const statement = { predicateType: 'urn:other', predicate: { record: endedRun() } };
    assert.deepEqual(
      verifyExport(envelopeOf(statement), READER).problems.map(({ what }) => what),
      ['it holds no record of a run'],
    );
    assert.equal(verifyExport(envelopeOf({ predicateType: EXPORT_PREDICATE }), READER).problems.length, 1);
    const unread = { open: () => ({ kind: 'problem', problem: 'no JSON', claims: null }) as const };
    assert.equal(verifyExport('', unread).problems.length, 2);
  });
});

describe('the commits that a run published', () => {
  const commit = (digit: string): string => digit.repeat(40);

  it('are those of its turns, in order, each once', () => {
    const of = (kind: string, head: unknown): object => ({ publish: { kind, head } });
    assert.deepEqual(
      publishedCommits([
        {},
        { publish: null },
        of('published', commit('b')),
        of('pushed', commit('a')),
        of('published', commit('b')),
        of('refused', commit('c')),
        of('published', 'a'.repeat(64)),
        of('published', `${commit('d')}d`),
        of('published', `x${commit('d')}`),
        of('published', 7),
      ]),
      [commit('b'), commit('a'), 'a'.repeat(64)],
    );
  });

  it('are those of open_pr, too, whatever the end of the turn came to', () => {
    const works = [
      { head: commit('a'), pr: 13 },
      { head: commit('b'), pr: 13 },
      null,
      7,
      { pr: 1 },
      { head: 7 },
    ];
    const refused = { kind: 'refused', reason: 'a CI file' };
    assert.deepEqual(
      publishedCommits([
        { published: works, publish: refused },
        { published: works, publish: { kind: 'published', head: commit('c') } },
        { published: 'x', publish: { kind: 'pushed', head: commit('d') } },
      ]),
      ['a', 'b', 'c', 'd'].map(commit),
    );
  });

  it('are read of the ends of turns alone, whatever else stands there', () => {
    const detail = JSON.stringify({ publish: { kind: 'published', head: commit('a') } });
    const rows = [
      row('turn', { turn: 1, event: 'begun', detail }),
      row('operation', { id: '1', event: 'ended', detail }),
      row('turn', { turn: 2, event: 'ended', detail: '{' }),
      row('turn', { turn: 3, event: 'ended', detail: 'null' }),
      row('turn', { turn: 4, event: 'ended', detail: '7' }),
      row('turn', { turn: 5, event: 'ended', detail: null }),
    ];
    const record = (more: typeof rows): RunRecord => ({
      ...{ slug: SLUG, phase: null, rows: [...rows, ...more], entries: [], seals: [] },
    });
    assert.equal(exportStatement(record([]), 1).subject.length, 1);
    assert.equal(
      exportStatement(record([row('turn', { turn: 6, event: 'ended', detail })]), 1).subject.length,
      2,
    );
  });
});
