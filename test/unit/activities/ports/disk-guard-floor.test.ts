import assert from 'node:assert/strict';
import { Disk, FLOOR, MIB } from './some-disk.js';

describe('the disk guard, when little is free', () => {
  let disk: Disk;
  const watch = (...turn: Parameters<Disk['watch']>): ReturnType<Disk['watch']> => disk.watch(...turn);

  beforeEach(() => {
    disk = new Disk();
  });
  afterEach(() => {
    disk.end();
  });

  it('stops a turn for a file system that falls while another one stays low', async () => {
    for (const slug of ['a', 'b', 'c']) await watch(slug);
    disk.engineFreeBytes = 50_000 * MIB;
    disk.freeBytes = FLOOR * 0.75;
    await disk.look();
    assert.equal(disk.over.size, 1);
    disk.engineFreeBytes = FLOOR * 0.9;
    await disk.look();
    assert.equal(disk.over.size, 2);
    await disk.look();
    assert.equal(disk.over.size, 2);
    disk.engineFreeBytes = FLOOR * 0.8;
    await disk.look();
    assert.equal(disk.over.size, 3);
  });

  it('stops one turn at a look, though two file systems fall', async () => {
    for (const slug of ['a', 'b', 'c']) await watch(slug);
    disk.engineFreeBytes = FLOOR - 1;
    disk.freeBytes = FLOOR - 1;
    await disk.look();
    await disk.look();
    assert.equal(disk.over.size, 1);
  });

  it('stops no other turn for bytes that are written while only inodes are few', async () => {
    await watch('a');
    await watch('b');
    disk.freeInodes = 4_999;
    await disk.look();
    disk.freeBytes -= FLOOR;
    await disk.look();
    assert.equal(disk.over.size, 1);
    disk.freeInodes = 4_500;
    await disk.look();
    assert.equal(disk.over.size, 2);
  });

  it('stops the run that holds most when little is free, and another one only if that goes on', async () => {
    await watch('little');
    await watch('much');
    disk.write('little', 30 * MIB);
    disk.write('much', 31 * MIB);
    await disk.look();
    assert.equal(disk.over.size, 0);
    disk.freeBytes = FLOOR - 1;
    await disk.look();
    assert.deepEqual([...disk.over.keys()], ['much']);
    assert.match(disk.over.get('much') ?? '', /this machine has 64 MiB of disk left/);
    disk.freeBytes -= FLOOR / 32;
    await disk.look();
    assert.equal(disk.over.size, 1);
    disk.freeBytes -= FLOOR / 16;
    await disk.look();
    assert.equal(disk.over.size, 2);
  });

  it('measures each run once at a time, though usage has risen and little is free', async () => {
    await watch('little');
    await watch('much');
    disk.write('little', 30 * MIB);
    disk.write('much', 90 * MIB);
    disk.freeBytes = FLOOR - 1;
    await disk.look();
    assert.deepEqual(disk.measured, ['little', 'much']);
    assert.deepEqual([...disk.over.keys()], ['much']);
    assert.match(disk.over.get('much') ?? '', /this run held most/);
  });

  it('stops a turn when inodes run out', async () => {
    await watch('a');
    disk.freeInodes = 4_999;
    await disk.look();
    assert.match(disk.over.get('a') ?? '', /this machine has 4999 inodes left/);
  });

  it('stops the run that nobody can measure when it may hold most: a tree that is slow to walk hides nothing', async () => {
    await watch('other');
    await watch('slow');
    disk.write('other', 30 * MIB);
    disk.write('slow', 10 * MIB);
    await disk.look(60_000);
    disk.write('slow', 40 * MIB);
    disk.holds.delete('slow');
    disk.resize(FLOOR - 1);
    await disk.look();
    assert.deepEqual(
      [...disk.over],
      [
        [
          'slow',
          'this machine has 64 MiB of disk left, and this run may hold most: it could not be measured just now',
        ],
      ],
    );
  });

  it('takes a run that holds more than can be counted for the one to stop', async () => {
    await watch('uncounted');
    await watch('other');
    disk.write('other', 90 * MIB);
    disk.holds.set('uncounted', null);
    disk.freeBytes = FLOOR - 1;
    await disk.look();
    assert.deepEqual([...disk.over], [['uncounted', 'the run holds more files than can be counted in time']]);
  });

  it('says of the only turn that no other one ran', async () => {
    await watch('a');
    disk.freeBytes = FLOOR - 1;
    await disk.look();
    assert.equal(disk.over.get('a'), 'this machine has 64 MiB of disk left, and no other turn ran');
  });
});
