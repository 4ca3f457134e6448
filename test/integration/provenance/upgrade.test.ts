import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { sealUnsealed } from '../../../src/activities/rows/seal-run.js';
import { homeSigner } from '../../../src/adapters/dsse/signing-keys.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { ENDED, RecordedHome } from '../../support/provenance/recorded-home.js';

describe('a home of a version that kept no ledger', () => {
  it('has one after the start of this one, with what was recorded before, and seals', async () => {
    const home = await RecordedHome.make();
    try {
      const old = new SqliteDatabase(home.file);
      old.exec(
        'drop table provenance_entry; drop table provenance_seal; drop index run_by_created_at_slug; pragma user_version = 3',
      );
      old.close();
      const database = await openDatabase(home.file);
      const desk = openProvenance(home.dir);
      assert.match(
        (await desk.verify(ENDED))?.problems.map(({ what }) => what).join() ?? '',
        /the seal of its end is not there/,
      );
      await sealUnsealed(database, homeSigner(home.dir), 9_000);
      await sealUnsealed(database, homeSigner(home.dir), 9_001);
      const { runs, ledger } = await desk.verifyAll();
      assert.deepEqual([...runs.flatMap(({ problems }) => problems), ...ledger], []);
      assert.equal(runs.find(({ slug }) => slug === ENDED)?.sealed, 12);
      assert.equal((await desk.record(ENDED))?.seals.length, 1);
      await desk.close();
      await database.close();
    } finally {
      await home.remove();
    }
  });
});
