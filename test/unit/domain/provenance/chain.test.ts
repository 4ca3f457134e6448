import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  canonicalJson,
  digestOfRow,
  digestOfText,
  hashOfEntry,
  keyOfRow,
} from '../../../../src/domain/provenance/chain.js';
import { KEY_COLUMNS, RECORD_SOURCES, type Columns } from '../../../../src/domain/provenance/record.js';

const text = () => fc.string({ unit: 'grapheme' });
const value = () => fc.oneof(text(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
// An export is anybody's: a column may have any name.
const name = () =>
  fc.oneof(text(), fc.constantFrom('seq', 'slug', 'id', '__proto__', '10', '9', 'toJSON', ''));
const columns = () => fc.array(fc.tuple(name(), value())).map((pairs): Columns => Object.fromEntries(pairs));
const source = () => fc.constantFrom(...RECORD_SOURCES);

describe('the hashes of the record', () => {
  it('are those of canonical JSON (RFC 8785), whatever a row holds', () => {
    fc.assert(
      fc.property(source(), columns(), (table, row) => {
        const present = Object.fromEntries(Object.entries(row).filter(([, one]) => one !== null));
        assert.equal(digestOfRow({ source: table, columns: row }), digestOfText(canonicalJson(present)));
        const key = KEY_COLUMNS[table].map((column) => row[column] ?? null);
        assert.equal(keyOfRow({ source: table, columns: row }), canonicalJson(key));
      }),
    );
  });

  it('are those of canonical JSON, whatever an entry holds', () => {
    const entry = fc.record({
      ...{ seq: fc.nat(), n: fc.nat(), slug: text(), source: source(), key: text(), digest: text() },
      previous: text(),
    });
    fc.assert(
      fc.property(entry, text(), (one, hash) => {
        const withMore = { ...one, hash, later: true };
        assert.equal(hashOfEntry(withMore), digestOfText(canonicalJson(one)));
      }),
    );
  });

  it('are told even of text that is no Unicode, as an export may hold it', () => {
    const of = (one: string) => digestOfRow({ source: 'run', columns: { slug: one } });
    assert.notEqual(of('\ud800'), of('\ufffd'));
    assert.notEqual(of('\ud800'), of('\ud801'));
  });
});
