import assert from 'node:assert/strict';
import { createProposalStore } from '../../../src/adapters/sqlite/proposal-store.js';
import type { ProposalDecisionRow, ProposalRow } from '../../../src/domain/run/rows.js';
import { queryPlans } from '../../support/webhook/query-plans.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';
import { useDatabase } from '../../support/webhook/use-database.js';

const idOf = (n: number): string => n.toString(16).padStart(8, '0').padEnd(32, '0');

const row = (n: number, changes: Partial<ProposalRow> = {}): ProposalRow => ({
  slug: 's-1',
  id: idOf(n),
  workflowId: 'gitea:alice/demo#1',
  tool: 'pipelock-block',
  turn: 2,
  at: 1_700_000_000_000 + n,
  ref: 'a'.repeat(64),
  origin: 'agent',
  ...changes,
});

const decision = (n: number, changes: Partial<ProposalDecisionRow> = {}): ProposalDecisionRow => ({
  slug: 's-1',
  id: idOf(n),
  status: 'approved',
  who: 'alice@desk',
  at: 1_700_000_100_000 + n,
  ref: 'a'.repeat(64),
  notesRef: null,
  ...changes,
});

describe('proposals in SQLite', () => {
  const newPath = useNewPaths();
  let file: string;
  const database = useDatabase(() => (file = newPath()));

  const ids = async (rows: Promise<readonly { readonly id: string }[]>): Promise<string[]> =>
    (await rows).map(({ id }) => id);

  it('wait in the order in which they came, those of one moment in that of their rows', async () => {
    const { proposals } = database();
    await proposals.add(row(9, { at: 20 }));
    await proposals.add(row(8, { at: 10, slug: 's-2' }));
    await proposals.add(row(7, { at: 20 }));
    assert.deepEqual(await ids(proposals.open()), [8, 9, 7].map(idOf));
    assert.deepEqual((await proposals.open())[0], row(8, { at: 10, slug: 's-2' }));
    await proposals.decide(decision(9));
    assert.deepEqual(await ids(proposals.open()), [8, 7].map(idOf));
    assert.deepEqual(await ids(proposals.ofRun('s-1')), [9, 7].map(idOf));
  });

  it('keep what came of them, and a decision is of one run', async () => {
    const { proposals } = database();
    const rejected = decision(1, { status: 'rejected', ref: null, notesRef: 'b'.repeat(64) });
    for (const one of [row(1), row(2), row(1, { slug: 's-2' })]) await proposals.add(one);
    await proposals.decide(rejected);
    assert.deepEqual(await proposals.ofRun('s-1'), [
      { ...row(1), decision: rejected },
      { ...row(2), decision: null },
    ]);
    assert.deepEqual(await proposals.ofRun('s-2'), [{ ...row(1, { slug: 's-2' }), decision: null }]);
    assert.deepEqual(await proposals.ofRun('s-3'), []);
    await proposals.add(row(2, { slug: 's-2' }));
    await proposals.decide(decision(2, { slug: 's-2' }));
    assert.deepEqual(await proposals.open(), [row(1, { slug: 's-2' }), row(2)]);
  });

  it('are written once: neither a repeated row nor a later decision is a second one', async () => {
    const { proposals } = database();
    await proposals.add(row(1));
    await proposals.add(row(1, { ref: 'c'.repeat(64) }));
    await proposals.decide(decision(1));
    await proposals.decide(decision(1, { status: 'rejected', who: 'mallory@desk' }));
    assert.deepEqual(await proposals.ofRun('s-1'), [{ ...row(1), decision: decision(1) }]);
    assert.deepEqual(await proposals.open(), []);
  });

  it('are found by the beginning of their id, at most ten', async () => {
    const { proposals } = database();
    for (let n = 0; n < 16; n += 1) await proposals.add(row(0xab00 + n));
    await proposals.add(row(0xac00));
    await proposals.decide(decision(0xab03));
    assert.deepEqual(
      await ids(proposals.find('0000ab')),
      Array.from({ length: 10 }, (_, n) => idOf(0xab00 + n)),
    );
    assert.deepEqual(await proposals.find('0000ab03'), [{ ...row(0xab03), decision: decision(0xab03) }]);
    assert.deepEqual(await ids(proposals.find(idOf(0xac00))), [idOf(0xac00)]);
    assert.deepEqual(await proposals.find('0000ad'), []);
  });

  it('have no status that is none', async () => {
    // @ts-expect-error: nobody has said that
    await assert.rejects(database().proposals.decide(decision(2, { status: 'pending' })), /CHECK constraint/);
  });

  it('wait no more when their decision was there first', async () => {
    const { proposals } = database();
    await proposals.decide(decision(1));
    await proposals.add(row(1));
    assert.deepEqual(await proposals.open(), []);
  });

  it('are found by indexes: those that wait without a look at what was decided', async () => {
    const nothingIsAdded = () => Promise.reject(new Error('nothing is added'));
    const plans = await queryPlans(file, (db) => {
      const store = createProposalStore(db, nothingIsAdded);
      return Promise.all([store.open(), store.ofRun('s-2'), store.find('0000ab')]);
    });
    const [open = '', ofRun = '', find = ''] = plans.map((plan) => plan.join('; '));
    assert.match(open, /^SEARCH proposal USING INTEGER PRIMARY KEY/);
    assert.match(ofRun, /SEARCH proposal USING INDEX .*slug=\?/);
    assert.match(find, /SEARCH proposal USING INDEX proposal_by_id/);
    for (const plan of [ofRun, find]) assert.doesNotMatch(plan, /SCAN/);
  });
});
