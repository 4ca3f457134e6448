import { directory, file, hostile, MIB, ofTree, type HostileCommits } from './hostile-commits.js';
import { treeContent, type PackedObjects, type TreeEntry } from './packed-objects.js';

const NOT_ACCEPTED = /does not accept the commits/;
const LONG_NAME = /more than 255 bytes in one part of its name/;
const TOO_MUCH = /more time or memory|more than \d+ files/;

/** Stands for `width` to the power of `depth` times what it begins with. */
function bomb(objects: PackedObjects, inner: string, width: number, depth: number): string {
  let tree = inner;
  for (let level = 0; level < depth; level += 1)
    tree = objects.tree(Array.from({ length: width }, (_, at) => directory(`d${String(at)}`, tree)));
  return tree;
}

function nested(objects: PackedObjects, depth: number): string {
  let tree = objects.tree([file('f', objects.blob('deep'))]);
  for (let level = 0; level < depth; level += 1) tree = objects.tree([directory('d', tree)]);
  return tree;
}

function one(
  name: string,
  end: HostileCommits['end'],
  entries: (objects: PackedObjects, blob: string) => readonly TreeEntry[],
): HostileCommits {
  return hostile(name, end, (objects, place) =>
    ofTree(objects, place, entries(objects, objects.blob('x\n'))),
  );
}

/** A tree as it is, in whatever order. */
function raw(
  name: string,
  end: HostileCommits['end'],
  content: (objects: PackedObjects, blob: string) => Buffer,
): HostileCommits {
  return hostile(name, end, (objects, { base }) => {
    const tree = objects.add('tree', content(objects, objects.blob('x\n')));
    return objects.commit({ tree, parents: [base], message: 'x' });
  });
}

function fileNamed(name: string, end: HostileCommits['end'], path: string): HostileCommits {
  return one(name, end, (_, blob) => [file(path, blob)]);
}

/** Trees and the names in them. */
export const TREES: readonly HostileCommits[] = [
  one('a tree of ten thousand million files', TOO_MUCH, (objects, blob) => [
    directory('d', bomb(objects, objects.tree([file('f', blob)]), 10, 10)),
  ]),
  hostile('the same in a commit in the middle, gone at the end', TOO_MUCH, (objects, { base }) => {
    const blob = objects.blob('x\n');
    const harmless = objects.tree([file('f', blob)]);
    const middle = objects.commit({
      tree: bomb(objects, harmless, 10, 10),
      parents: [base],
      message: 'bomb',
    });
    return objects.commit({ tree: harmless, parents: [middle], message: 'gone' });
  }),
  one('a tree of ten thousand million empty directories', /more time or memory/, (objects) => [
    directory('d', bomb(objects, objects.add('tree', ''), 10, 10)),
  ]),
  one('a directory of 50,000 files', /more than 5000 files/, (_, blob) =>
    Array.from({ length: 50_000 }, (_entry, at) => file(`f${String(at)}`, blob)),
  ),
  one('one file too many', /more than 5000 files/, (_, blob) =>
    Array.from({ length: 5_001 }, (_entry, at) => file(`f${String(at)}`, blob)),
  ),
  one('1,000 files with names of 200 bytes', 'published', (_, blob) =>
    Array.from({ length: 1_000 }, (_entry, at) =>
      file(`${'n'.repeat(195)}${String(at).padStart(5, '0')}`, blob),
    ),
  ),
  one('3,000 files with names of 4,000 bytes', LONG_NAME, (objects, blob) =>
    ['a', 'b', 'c'].map((name) =>
      directory(
        name,
        objects.tree(
          Array.from({ length: 1_000 }, (_entry, at) =>
            file(`${'n'.repeat(3_995)}${String(at).padStart(5, '0')}`, blob),
          ),
        ),
      ),
    ),
  ),
  hostile('the same 3,000 files in 20 commits', /the same files too often/, (objects, { base }) => {
    let head = base;
    for (let at = 0; at < 20; at += 1) {
      const blob = objects.blob(String(at));
      const tree = objects.tree(Array.from({ length: 3_000 }, (_, name) => file(`f${String(name)}`, blob)));
      head = objects.commit({ tree, parents: [head], message: String(at) });
    }
    return head;
  }),
  one('directories 500 deep', 'published', (objects) => [directory('d', nested(objects, 500))]),
  one('directories 20,000 deep', /more time or memory|does not accept/, (objects) => [
    directory('d', nested(objects, 20_000)),
  ]),
  fileNamed('a name of 255 bytes', 'published', 'n'.repeat(255)),
  fileNamed('a name of 4,095 bytes', LONG_NAME, 'n'.repeat(4_095)),
  fileNamed('a name of 1 MiB', LONG_NAME, 'n'.repeat(MIB)),
  fileNamed('a name that is white space', 'published', ' '.repeat(200)),
  fileNamed('a name with a line feed', /control character/, 'a\nb'),
  fileNamed('a name like a line of a diff', 'published', '+++ b'),
  fileNamed('a name that is an option', 'published', '--upload-pack=touch x'),
  one('a name with half a character', 'published', (_, blob) => [file('caf\u00e9', blob)]),
  raw('the same name twice', NOT_ACCEPTED, (_, blob) => treeContent([file('a', blob), file('a', blob)])),
  raw('a file and a directory of one name', NOT_ACCEPTED, (objects, blob) =>
    treeContent([file('a', blob), directory('a', objects.tree([file('x', blob)]))]),
  ),
  raw('entries in no order', NOT_ACCEPTED, (_, blob) => treeContent([file('b', blob), file('a', blob)])),
  raw('an entry without a name', NOT_ACCEPTED, (_, blob) => treeContent([file('', blob)])),
  raw('an entry of nothing', NOT_ACCEPTED, () => treeContent([file('a', '0'.repeat(40))])),
  raw('an entry whose object is missing', NOT_ACCEPTED, () => treeContent([file('a', '1'.repeat(40))])),
  raw('a tree that is cut in the middle', NOT_ACCEPTED, (_, blob) =>
    treeContent([file('a', blob)]).subarray(0, -5),
  ),
  raw('a tree of noise', NOT_ACCEPTED, () => Buffer.from('100644 a'.repeat(1000))),
  raw('a mode of zeros', NOT_ACCEPTED, (_, blob) =>
    Buffer.concat([Buffer.from('0100644 a\0'), Buffer.from(blob, 'hex')]),
  ),
  one('a directory that is a file', NOT_ACCEPTED, (_, blob) => [directory('d', blob)]),
  one('a file that is a directory', NOT_ACCEPTED, (objects, blob) => [
    file('f', objects.tree([file('x', blob)])),
  ]),
  one('500 symbolic links out of the tree', 'published', (objects) => {
    const target = objects.blob('../../../../../etc/passwd');
    return Array.from({ length: 500 }, (_, at) => ({ mode: '120000', name: `l${String(at)}`, id: target }));
  }),
  one('a submodule that nobody declared', /sets the submodule/, () => [
    { mode: '160000', name: 's', id: '1'.repeat(40) },
  ]),
  one('100 submodules', /change submodules 100 times/, () =>
    Array.from({ length: 100 }, (_, at) => ({ mode: '160000', name: `s${String(at)}`, id: '1'.repeat(40) })),
  ),
];
