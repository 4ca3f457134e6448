import assert from 'node:assert/strict';
import { Disk, MIB, NOTHING } from './some-disk.js';

describe('the disk guard', () => {
  let disk: Disk;
  const watch = (...turn: Parameters<Disk['watch']>): ReturnType<Disk['watch']> => disk.watch(...turn);

  beforeEach(() => {
    disk = new Disk();
  });
  afterEach(() => {
    disk.end();
  });

  it('measures nothing while the disk has not grown by what the run may still write', async () => {
    await watch('a');
    disk.write('a', 99 * MIB);
    await disk.look();
    assert.deepEqual(disk.measured, []);
    disk.write('a', 2 * MIB);
    await disk.look();
    assert.deepEqual(disk.measured, ['a']);
  });

  it('counts what a turn wrote before it was watched, though another turn’s watch looked meanwhile', async () => {
    const usedBefore = await disk.guard.look();
    await watch('b', { asked: { bytes: 500 * MIB, inodes: null } });
    disk.write('a', 101 * MIB);
    await disk.look();
    await watch('a', { usedBefore });
    await disk.look();
    assert.deepEqual(disk.measured, ['a']);
  });

  it('stops a run that holds too many bytes, once, and says how much it held', async () => {
    await watch('a');
    disk.write('a', 300 * MIB);
    await disk.look();
    assert.deepEqual([...disk.over], [['a', 'the run held 300 MiB on disk, and may hold 100 MiB']]);
    disk.over.clear();
    disk.write('a', 300 * MIB);
    await disk.look(60_000);
    assert.equal(disk.over.size, 0);
  });

  it('holds a run to what its bottle asks for, be it less or more than the quota of this host', async () => {
    await watch('less', { asked: { bytes: 10 * MIB, inodes: null } });
    await watch('more', { asked: { bytes: 400 * MIB, inodes: 5_000 } });
    await watch('other');
    disk.write('less', 11 * MIB);
    disk.write('more', 300 * MIB, 4_000);
    await disk.look();
    assert.deepEqual([...disk.over], [['less', 'the run held 11 MiB on disk, and may hold 10 MiB']]);
    disk.write('more', 101 * MIB);
    await disk.look(60_000);
    assert.equal(disk.over.get('more'), 'the run held 401 MiB on disk, and may hold 400 MiB');
    await watch('files', { asked: { bytes: null, inodes: 50 } });
    disk.write('files', MIB, 51);
    await disk.look();
    assert.equal(disk.over.get('files'), 'the run held 51 files and directories, and may hold 50');
    assert.equal(disk.over.size, 3);
  });

  it('gives a run that begins over what its bottle asks for room of that to tidy up', async () => {
    disk.holds.set('a', { bytes: 50 * MIB, inodes: 1 });
    const asked = { bytes: 20 * MIB, inodes: null };
    await watch('a', { asked, held: { bytes: 50 * MIB, inodes: 1 } });
    await disk.look();
    assert.equal(disk.over.size, 0);
    disk.write('a', 2 * MIB);
    await disk.look();
    assert.match(disk.over.get('a') ?? '', /may hold 51 MiB/);
  });

  it('does not take what others wrote for a run’s own', async () => {
    await watch('a');
    disk.write('somebody else', 5_000 * MIB);
    await disk.look();
    assert.deepEqual([disk.measured, disk.over.size], [['a'], 0]);
    assert.deepEqual(disk.noted, [NOTHING]);
  });

  it('is misled for a minute at most when something else is deleted meanwhile', async () => {
    await watch('a');
    for (let time = 0; time < 6; time += 1) {
      disk.write('a', 60 * MIB);
      await disk.look();
      disk.freeBytes += 60 * MIB;
      await disk.look();
    }
    assert.ok(disk.over.has('a'));
  });

  it('measures a run that may be over every 5 s, and every minute when it is not', async () => {
    await watch('a', { held: { bytes: 99 * MIB, inodes: 1 } });
    disk.holds.set('a', { bytes: 99 * MIB, inodes: 1 });
    disk.write('else', 2 * MIB);
    await disk.look();
    assert.equal(disk.measured.length, 1);
    disk.write('else', 2 * MIB);
    await disk.look(4_000);
    assert.equal(disk.measured.length, 1);
    await disk.look(1_000);
    assert.equal(disk.measured.length, 2);
    await disk.look(59_000);
    assert.equal(disk.measured.length, 2);
    await disk.look(1_000);
    assert.equal(disk.measured.length, 3);
  });

  it('measures less often where that takes long', async () => {
    disk.took = 2_000;
    disk.holds.set('a', { bytes: 99 * MIB, inodes: 1 });
    await watch('a', { held: { bytes: 99 * MIB, inodes: 1 } });
    for (let time = 0; time < 4; time += 1) {
      disk.write('else', 2 * MIB);
      await disk.look();
    }
    assert.equal(disk.measured.length, 1);
    await disk.look();
    assert.equal(disk.measured.length, 2);
  });

  it('measures a run of which nothing is known, and every minute one whose disk cannot be seen', async () => {
    await watch('a', { held: null });
    await disk.look();
    assert.deepEqual(disk.measured, ['a']);
    disk.isSeen = false;
    await watch('b');
    await disk.look(59_000);
    assert.deepEqual(disk.measured, ['a']);
    await disk.look(1_000);
    assert.deepEqual(disk.measured.sort(), ['a', 'a', 'b']);
  });

  it('gives no room anew to a turn that is watched again after a restart, and measures it', async () => {
    const before = { bytes: 200 * MIB, inodes: 5 };
    disk.holds.set('a', { bytes: 206 * MIB, inodes: 5 });
    await watch('a', { held: before, usedBefore: null });
    disk.holds.set('b', { bytes: 204 * MIB, inodes: 5 });
    await watch('b', { held: before, usedBefore: null });
    disk.holds.set('c', { bytes: 101 * MIB, inodes: 5 });
    await watch('c', { held: null, usedBefore: null });
    await disk.look();
    assert.deepEqual([...disk.over.keys()].sort(), ['a', 'c']);
  });

  it('stops a run that holds more than can be counted, and tries again when the engine fails', async () => {
    await watch('a');
    disk.freeBytes -= 200 * MIB;
    disk.holds.delete('a');
    await disk.look();
    assert.equal(disk.over.size, 0);
    disk.holds.set('a', null);
    await disk.look(30_000);
    assert.match(disk.over.get('a') ?? '', /counted/);
  });

  it('gives back what the run holds at most when its turn ends', async () => {
    const end = await watch('a', { held: { bytes: 10 * MIB, inodes: 3 } });
    disk.write('a', 20 * MIB);
    await disk.look();
    assert.deepEqual(end(), { bytes: 30 * MIB, inodes: 4 });
  });
});
