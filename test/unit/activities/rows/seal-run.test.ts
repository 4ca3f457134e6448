import assert from 'node:assert/strict';
import { sealRun, sealUnsealed } from '../../../../src/activities/rows/seal-run.js';
import type { Signer, Statement } from '../../../../src/domain/provenance/seal.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useDatabase } from '../../../support/webhook/use-database.js';

const SLUG = 'coder-alice-demo-12-abc12';
const COMMIT = 'c'.repeat(40);

describe('sealing the record of a run', () => {
  const database = useDatabase();
  let signed: Statement[];
  const signer: Signer = {
    sign: (statement) => {
      signed.push(statement);
      return { keyId: 'k', envelope: JSON.stringify(signed.length) };
    },
  };

  beforeEach(async () => {
    signed = [];
  });

  const endTurn = (turn: number, detail: Readonly<Record<string, unknown>> = {}): Promise<void> =>
    database().runs.appendTurn({ slug: SLUG, turn, event: 'ended', at: turn, detail });
  const seal = (reason: 'frozen' | 'destroyed'): Promise<void> =>
    sealRun(database(), signer, { slug: SLUG, reason, at: 5 });

  it('signs nothing of a run of which nothing is recorded', async () => {
    await seal('frozen');
    assert.deepEqual([signed, await database().provenance.lastSeal(SLUG)], [[], undefined]);
  });

  it('names the commits that its turns published, and is kept', async () => {
    await endTurn(1, { publish: { kind: 'published', pr: 1, prUrl: '', head: COMMIT } });
    await seal('frozen');
    assert.deepEqual(
      signed.map(({ subject }) => subject.map(({ name }) => name)),
      [[`run:${SLUG}`, `commit:${COMMIT}`]],
    );
    const kept = await database().provenance.lastSeal(SLUG);
    assert.deepEqual([kept?.n, kept?.reason, kept?.at, kept?.entries], [1, 'frozen', 5, 1]);
  });

  it('is done once for what is recorded and for why it is done, and again for what came since', async () => {
    await endTurn(1);
    await seal('frozen');
    await seal('frozen');
    assert.equal(signed.length, 1);
    await endTurn(2);
    await seal('frozen');
    assert.equal(signed.length, 2);
    await seal('destroyed');
    await seal('destroyed');
    assert.equal(signed.length, 3);
    assert.equal((await database().provenance.lastSeal(SLUG))?.n, 3);
  });

  it('is made up for at the start for runs at rest that an earlier version left without, and for no other', async () => {
    await endTurn(1);
    await database().forgeState.upsert(stateRow({ slug: SLUG, status: 'destroyed', phase: 'destroyed' }));
    const running = stateRow({ slug: 'coder-alice-demo-13-abc13', issueNumber: 13 });
    await database().forgeState.upsert(running);
    await database().runs.appendTurn({ slug: running.slug, turn: 1, event: 'begun', at: 1, detail: {} });
    await sealUnsealed(database(), signer, 9);
    await sealUnsealed(database(), signer, 10);
    const made = await database().provenance.lastSeal(SLUG);
    assert.deepEqual([made?.reason, made?.at], ['destroyed', 9]);
    assert.equal(await database().provenance.lastSeal(running.slug), undefined);
    assert.equal(signed.length, 1);
  });
});
