import assert from 'node:assert/strict';
import { digestOfText } from '../../../../src/domain/provenance/chain.js';
import {
  needsSeal,
  nextSeal,
  SEAL_PREDICATE,
  STATEMENT_TYPE,
} from '../../../../src/domain/provenance/seal.js';
import { verifyLedger } from '../../../../src/domain/provenance/verify-ledger.js';
import { COMMIT, endedRun, envelopeOf, signerOf, SLUG } from '../../../support/provenance/sealed-run.js';

describe('the next seal of a run', () => {
  const record = endedRun();
  const head = record.entries[4];
  const [first] = record.seals;
  assert.ok(head && first);

  it('signs the newest entry, the seal before and the commits', () => {
    const seal = nextSeal(
      signerOf(),
      { head, last: first, commits: [COMMIT] },
      { reason: 'frozen', at: 7_000 },
    );
    const predicate = {
      ...{ slug: SLUG, n: 2, previous: digestOfText(first.envelope), reason: 'frozen', at: 7_000 },
      ...{ entries: 5, head: head.hash },
    };
    const subject = [
      { name: `run:${SLUG}`, digest: { sha256: head.hash } },
      { name: `commit:${COMMIT}`, digest: { gitCommit: COMMIT } },
    ];
    const envelope = envelopeOf({ _type: STATEMENT_TYPE, subject, predicateType: SEAL_PREDICATE, predicate });
    assert.deepEqual(seal, {
      ...{ slug: SLUG, n: 2, at: 7_000, reason: 'frozen', entries: 5, keyId: 'k1', envelope },
    });
  });

  it('is needed when something came since, or for another reason', () => {
    const last = record.seals[1];
    assert.equal(needsSeal(head, undefined, 'destroyed'), true);
    assert.equal(needsSeal(head, last, 'destroyed'), false);
    assert.equal(needsSeal(head, last, 'pruned'), true);
    assert.equal(needsSeal({ ...head, n: 6 }, last, 'destroyed'), true);
  });
});

describe('the ledger of all runs', () => {
  const place = (seq: number, slug: string, n: number, previous: string) => ({
    ...{ seq, slug, n, previous, hash: `h${String(seq)}` },
  });
  // The first entry of a run follows whatever was recorded last, a later one its own run's.
  const places = [
    place(1, 'a', 1, ''),
    place(2, 'b', 1, 'h1'),
    place(3, 'a', 2, 'h1'),
    place(4, 'c', 1, 'h3'),
  ];
  const problems = (given: typeof places): string[] =>
    verifyLedger(given).map(({ kind, what }) => `${kind}: ${what}`);

  it('is good without gaps, each run behind what came before it', () => {
    assert.deepEqual(problems(places), []);
    assert.deepEqual(problems([]), []);
  });

  it('shows what was dropped, at its beginning and within', () => {
    assert.deepEqual(problems(places.slice(1)), ['dropped: entries 1 to 1 of the ledger of all runs']);
    assert.deepEqual(problems(places.filter(({ seq }) => seq !== 2 && seq !== 3)), [
      'dropped: entries 2 to 3 of the ledger of all runs',
    ]);
  });

  it('shows a run that was put in place of another', () => {
    assert.deepEqual(problems([...places.slice(0, 3), place(4, 'c', 1, 'other')]), [
      'changed: run c does not follow what was recorded before it',
    ]);
    assert.deepEqual(problems([place(1, 'a', 1, 'other'), ...places.slice(1)]), [
      'changed: run a does not follow what was recorded before it',
    ]);
  });
});
