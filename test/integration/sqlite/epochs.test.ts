import assert from 'node:assert/strict';
import type { RecordStateInput, RecordTurnInput } from '../../../src/activities/ports/inputs.js';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import { recordEnd, recordState, recordTurn } from '../../../src/activities/rows/record-rows.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { settledTurn, SUBJECT, turnResult } from '../../support/machine/world.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const SLUG = 'coder-alice-demo-12-abc12';
const RUN = { workflowId: 'gitea:alice/demo#12', repoId: 7, subject: SUBJECT, slug: SLUG, turn: 1 };
const snapshot = (host: string): RecordStateInput['snapshot'] => ({
  phase: 'frozen',
  reason: 'paused',
  host,
  prNumber: null,
});

/** The real activities over a real database. */
describe('rows of a run that was moved', () => {
  const path = useTempDir();

  it('are not written any more by what was asked before the move', async () => {
    const database = await openDatabase(path('epochs.db'));
    const ports = { database, clock: { now: () => 9_000 } } as unknown as HomePorts;
    await database.forgeState.upsert(stateRow({ slug: SLUG, host: 'first', status: 'running' }));
    await recordState(ports, { ...RUN, snapshot: snapshot('first') });
    assert.equal((await database.forgeState.ofRun(SLUG))?.host, 'first');
    await recordState(ports, { ...RUN, epoch: 1, snapshot: snapshot('second') });
    const moved = await database.forgeState.ofRun(SLUG);
    assert.deepEqual([moved?.host, moved?.epoch], ['second', 1]);

    await recordState(ports, { ...RUN, snapshot: snapshot('first') });
    const late: RecordTurnInput = {
      ...RUN,
      result: turnResult(),
      settled: settledTurn(),
      reason: 'done',
      snapshot: snapshot('first'),
      watchdogFired: false,
    };
    await recordTurn(ports, late);
    await recordEnd(ports, { ...RUN, endedAt: 1 });
    assert.deepEqual(await database.forgeState.ofRun(SLUG), moved);
    assert.deepEqual(await database.runs.turns(SLUG), []);
    await recordEnd(ports, { ...RUN, epoch: 1, endedAt: 1 });
    assert.equal((await database.forgeState.ofRun(SLUG))?.status, 'destroyed');
    await database.close();
  });
});
