import { deflateSync } from 'node:zlib';
import { file, hostile, MIB, ofFile, ofTree, type HostileCommits, type Place } from './hostile-commits.js';
import { deltaOf, entryHeader, repeated, type PackedObjects } from './packed-objects.js';

const NOT_ACCEPTED = /does not accept the commits/;
const TOO_MUCH = /more time or memory|does not accept the commits|hold \d+ bytes/;

/** A pack that is sound but for what `spoil` makes of it. */
function spoilt(
  name: string,
  spoil: (pack: Buffer) => Buffer,
  end: HostileCommits['end'] = NOT_ACCEPTED,
): HostileCommits {
  return hostile(name, end, (objects, place) => ofFile(objects, place, 'content\n'.repeat(1000)), spoil);
}

/** An entry that is wrong, in a pack whose sum is right. */
function withEntry(
  name: string,
  end: HostileCommits['end'],
  add: (objects: PackedObjects) => void,
): HostileCommits {
  return hostile(name, end, (objects, place) => {
    add(objects);
    return ofFile(objects, place, 'content\n');
  });
}

function deltas(name: string, count: number, bytes: number): HostileCommits {
  return hostile(name, TOO_MUCH, (objects, place) => {
    const content = Buffer.alloc(1 * MIB);
    for (let at = 0; at < 256; at += 1) content[at] = at;
    const id = objects.blob(content);
    const entries = Array.from({ length: count }, (_, at) => {
      const copies = [{ offset: at, length: 1 }, ...repeated(content.length, bytes)];
      return file(`f${String(at)}`, objects.delta('blob', { id, content }, copies));
    });
    return ofTree(objects, place, entries);
  });
}

function chain(objects: PackedObjects, place: Place, length: number): string {
  // Not periodic: else two of the chain are the same object, and it is a ring.
  let content = Buffer.from(Array.from({ length: 500 }, (_, at) => String(at)).join(' '));
  let id = objects.blob(content);
  for (let at = 0; at < length; at += 1) {
    const copies = [
      { offset: 1, length: content.length - 1 },
      { offset: 0, length: 1 + (at % 7) },
    ];
    id = objects.delta('blob', { id, content }, copies);
    content = Buffer.concat(copies.map((one) => content.subarray(one.offset, one.offset + one.length)));
  }
  return ofTree(objects, place, [file('last', id)]);
}

/** Packs, deltas and what is compressed in them. */
export const PACKS: readonly HostileCommits[] = [
  deltas('20 deltas that stand for 8 MiB each', 20, 8 * MIB),
  deltas('a delta that stands for 700 MiB', 1, 700 * MIB),
  hostile('a chain of 2,000 deltas', 'published', (objects, place) => chain(objects, place, 2_000)),
  withEntry('a delta that says it stands for 8 EiB', TOO_MUCH, (objects) => {
    const id = objects.blob('base of the delta');
    objects.rawDelta(id, deltaOf(17, 2 ** 53 - 1, [{ offset: 0, length: 1 }]));
  }),
  withEntry('a delta that copies what is beyond its base', NOT_ACCEPTED, (objects) => {
    const id = objects.blob('base of the delta');
    objects.rawDelta(id, deltaOf(17, 1000, [{ offset: 0xffffff, length: 1000 }]));
  }),
  withEntry('a delta of another base', NOT_ACCEPTED, (objects) => {
    const id = objects.blob('base of the delta');
    objects.rawDelta(id, deltaOf(99, 1, [{ offset: 0, length: 1 }]));
  }),
  withEntry('a delta whose base is nowhere', NOT_ACCEPTED, (objects) => {
    objects.rawDelta('1'.repeat(40), deltaOf(17, 1, [{ offset: 0, length: 1 }]));
  }),
  withEntry('a delta without instructions', NOT_ACCEPTED, (objects) => {
    objects.rawDelta(objects.blob('base of the delta'), Buffer.alloc(0));
  }),
  withEntry('a file that says it has 8 TiB', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.concat([entryHeader(3, 8 * 2 ** 40), deflateSync('x')]));
  }),
  withEntry('a file that says it has one byte, and has a million', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.concat([entryHeader(3, 1), deflateSync(Buffer.alloc(1_000_000))]));
  }),
  withEntry('an entry of no type', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.concat([Buffer.from([0x03]), deflateSync('abc')]));
  }),
  withEntry('an entry of the type that is kept for later', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.concat([Buffer.from([0x53]), deflateSync('abc')]));
  }),
  withEntry('an entry whose size has no end', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.alloc(1000, 0xff));
  }),
  withEntry('an entry that does not unpack', NOT_ACCEPTED, (objects) => {
    objects.raw(Buffer.concat([entryHeader(3, 100), Buffer.from('no zlib at all')]));
  }),
  withEntry('5,000 files that no commit has', 'published', (objects) => {
    for (let at = 0; at < 5_000; at += 1) objects.blob(`junk ${String(at)}`);
  }),
  spoilt('a pack with another sum', (pack) =>
    Buffer.concat([pack.subarray(0, -1), Buffer.from([pack[pack.length - 1] === 0 ? 1 : 0])]),
  ),
  spoilt('a pack that is cut', (pack) => pack.subarray(0, -30)),
  spoilt('a pack that is nothing', () => Buffer.alloc(0)),
  // git reads to the pack's end, and what is behind it is in no repository.
  spoilt(
    'a pack with garbage behind it',
    (pack) => Buffer.concat([pack, Buffer.alloc(100_000, 'g')]),
    'published',
  ),
  spoilt('a pack of version 9', (pack) => withNumber(pack, 4, 9)),
  spoilt('a pack that says it has more objects', (pack) => withNumber(pack, 8, 50_000)),
  spoilt('a pack that says it has fewer objects', (pack) => withNumber(pack, 8, 1)),
  spoilt(
    'a pack that says it has four thousand million objects',
    (pack) => withNumber(pack, 8, 0xffffffff),
    /hold more than 100000 objects/,
  ),
];

function withNumber(pack: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(pack);
  copy.writeUInt32BE(value, offset);
  return copy;
}
