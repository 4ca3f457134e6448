import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reconcileFile } from '../../../src/adapters/files/reconcile-file.js';
import { EMPTY_RECONCILE_STATE } from '../../../src/domain/upkeep/reconcile.js';
import type { ReconcileState } from '../../../src/domain/upkeep/reconcile.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const STATE: ReconcileState = {
  ids: { 'alice/demo': 7 },
  lists: { 'alice/demo': { since: 5, page: 2, pageSize: 50, upTo: 9 } },
  comments: { '7': { since: 5, page: 1, pageSize: 0, upTo: null } },
  runs: { slug: { pr: 3, head: 'abc', remarks: { '4': 1 } } },
  pulls: [{ repoId: 7, number: 3 }],
  next: 'run slug',
  posted: ['0123'],
  notBefore: 17,
};

function unexpected(error: unknown): never {
  throw new Error('the file is sound', { cause: error });
}

describe("the reconciler's file", () => {
  const path = useTempDir();

  it('gives back what was saved, and nothing to begin with', async () => {
    const file = path('a.json');
    const store = reconcileFile(file, unexpected);
    assert.deepEqual(await store.load(), EMPTY_RECONCILE_STATE);
    await store.save(STATE);
    const { version, ...loaded } = { version: 1, ...(await reconcileFile(file, unexpected).load()) };
    assert.deepEqual([version, loaded], [1, STATE]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(file)), ['a.json']);
  });

  it('counts as none when it cannot be understood, and says so', async () => {
    for (const [index, text] of [
      '',
      '{',
      '[]',
      '{"version":2}',
      JSON.stringify({ version: 1, ...STATE, posted: 3 }),
    ].entries()) {
      const file = path(`b${String(index)}.json`);
      writeFileSync(file, text);
      const said: unknown[] = [];
      assert.deepEqual(await reconcileFile(file, (error) => said.push(error)).load(), EMPTY_RECONCILE_STATE);
      assert.equal(said.length, 1, text);
    }
  });
});
