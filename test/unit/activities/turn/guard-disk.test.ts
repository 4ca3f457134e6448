import assert from 'node:assert/strict';
import type { GuardedTurn } from '../../../../src/activities/ports/disk-guard.js';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { guardDisk } from '../../../../src/activities/turn/guard-disk.js';
import { blankTurnRecord, TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import type { DiskUsage } from '../../../../src/domain/bottle/disk-usage.js';
import { until } from '../../../support/bundle/until.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';

const HELD: DiskUsage = { bytes: 50, inodes: 5 };

describe('a turn under the host’s disk guard', () => {
  const world = useHostWorld();
  let guarded: GuardedTurn[];
  let most: DiskUsage | null;
  let journal: TurnJournal;
  let abort: AbortController;
  beforeEach(() => {
    [guarded, most, abort] = [[], null, new AbortController()];
    world.ports.disk.watch = (turn) => {
      guarded.push(turn);
      return () => most;
    };
  });

  async function guard(changes: Partial<RunTurnInput> = {}): Promise<GuardedTurn | undefined> {
    const input = await world.turning({ turn: 2, ...changes });
    const { files, clock } = world.ports;
    journal = await TurnJournal.open(files, SLUG, input.turn, clock);
    await guardDisk(world.ports, input, journal, {
      ...{ usedBefore: HELD, signal: abort.signal, onOver: () => undefined },
    });
    return guarded[0];
  }

  it('is told what the run held when the turn before ended', async () => {
    await world.ports.files.writeTurn(SLUG, { ...blankTurnRecord(1), disk: { held: HELD } });
    const one = await guard();
    assert.deepEqual([one?.slug, one?.held, one?.usedBefore, one?.asked], [SLUG, HELD, HELD, null]);
  });

  it('is told so by the last turn that began, where one between was paused or over its budget', async () => {
    await world.ports.files.writeTurn(SLUG, { ...blankTurnRecord(1), disk: { held: HELD } });
    assert.deepEqual((await guard({ turn: 3 }))?.held, HELD);
  });

  it('held nothing before the first turn, and nobody knows what where nobody looked', async () => {
    assert.deepEqual((await guard({ turn: 1 }))?.held, { bytes: 0, inodes: 0 });
    guarded = [];
    assert.equal((await guard())?.held, null);
    guarded = [];
    world.ports.files.readTurn = (_slug, turn) =>
      turn === 1 ? Promise.reject(new Error('no disk')) : Promise.resolve(undefined);
    assert.equal((await guard())?.held, null);
  });

  it('may hold what the bottle asks for', async () => {
    const { prepared } = await world.turning();
    const disk = { bytes: 9, inodes: null };
    assert.deepEqual((await guard({ prepared: { ...prepared, disk } }))?.asked, disk);
  });

  it('has on disk what was measured, and is not over when that cannot be written', async () => {
    const one = await guard();
    one?.onMeasured(HELD);
    await until('the record', async () => (await world.ports.files.readTurn(SLUG, 2))?.disk ?? undefined);
    assert.deepEqual(journal.record.disk, { held: HELD });
    world.ports.files.writeTurn = () => Promise.reject(new Error('no space'));
    one?.onMeasured(HELD);
    await until('the warning', () => (world.warned.length > 0 ? true : undefined));
  });

  it('ends with what it held at most', async () => {
    await guard();
    most = { bytes: 90, inodes: 9 };
    abort.abort();
    assert.deepEqual(journal.record.disk, { held: most });
  });

  it('ends with what was known, where nothing was measured', async () => {
    await guard();
    abort.abort();
    assert.equal(journal.record.disk, null);
  });

  it('is not watched when it is over already', async () => {
    abort.abort();
    await guard();
    assert.deepEqual(guarded, []);
  });
});
