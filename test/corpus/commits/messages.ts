import { MIB, file, hostile, ofFile, type HostileCommits, type Place } from './hostile-commits.js';
import type { CommitParts, PackedObjects } from './packed-objects.js';

const TOO_LONG = /bytes of message and headers, more than the 65536/;
const NOT_ACCEPTED = /does not accept the commits/;
const LIMIT = 64 * 1024;

function message(
  name: string,
  text: Buffer | string,
  end: HostileCommits['end'] = 'published',
): HostileCommits {
  return commit(name, end, { message: text });
}

function commit(name: string, end: HostileCommits['end'], parts: Partial<CommitParts>): HostileCommits {
  return hostile(name, end, (objects, { base }) =>
    objects.commit({ tree: someTree(objects), parents: [base], message: 'work\n', ...parts }),
  );
}

function someTree(objects: PackedObjects): string {
  return objects.tree([file('a', objects.blob('a\n'))]);
}

function chain(
  objects: PackedObjects,
  { base }: Place,
  length: number,
  text: (at: number) => string,
): string {
  const tree = someTree(objects);
  let head = base;
  for (let at = 0; at < length; at += 1) head = objects.commit({ tree, parents: [head], message: text(at) });
  return head;
}

/** One that is not made of the usual parts. */
function raw(
  name: string,
  end: HostileCommits['end'],
  text: (tree: string, who: string, base: string) => string,
): HostileCommits {
  return hostile(name, end, (objects, { base, author }) => {
    const who = `${author.name} <${author.email}> 1700000000 +0000`;
    return objects.add('commit', text(someTree(objects), who, base));
  });
}

function upTo(fragment: string, bytes = 60_000): string {
  return fragment.repeat(Math.floor(bytes / Buffer.byteLength(fragment)));
}

/** Commit and tag objects. */
export const MESSAGES: readonly HostileCommits[] = [
  message('a message of 48 MiB', 'x y\n'.repeat(12 * MIB), TOO_LONG),
  message('a message of 64 KiB', 'm'.repeat(LIMIT), TOO_LONG),
  message('a message just below 64 KiB', 'm'.repeat(LIMIT - 400)),
  hostile('a long message in a commit that is not the last', TOO_LONG, (objects, place) =>
    chain(objects, place, 20, (at) => 'm'.repeat(at === 3 ? 2 * LIMIT : 10)),
  ),
  hostile('200 messages of 60 KiB', /bytes together, more than the 4194304/, (objects, place) =>
    chain(objects, place, 200, (at) => `${String(at)} ${upTo('lorem ipsum\n')}`),
  ),
  hostile('more commits than may be', /there are 1001 new commits/, (objects, place) =>
    chain(objects, place, 1001, String),
  ),
  hostile('merges that cross each other, 200 levels', 'published', (objects, { base }) => {
    const tree = someTree(objects);
    let pair: readonly [string, string] = [base, base];
    for (let at = 0; at < 200; at += 1)
      pair = [0, 1].map((side) =>
        objects.commit({
          tree,
          parents: side === 0 ? pair : [...pair].reverse(),
          message: `${String(at)} ${String(side)}`,
        }),
      ) as [string, string];
    return objects.commit({ tree, parents: pair, message: 'end' });
  }),
  hostile('a commit of 1,000 parents', 'published', (objects, { base }) => {
    const tree = someTree(objects);
    const parents = Array.from({ length: 1000 - 10 }, (_, at) =>
      objects.commit({ tree, parents: [base], message: String(at) }),
    );
    return objects.commit({ tree, parents, message: 'octopus' });
  }),
  hostile('a commit of 2,000 parents', TOO_LONG, (objects, { base }) => {
    const tree = someTree(objects);
    const parents = Array.from({ length: 2000 }, () => base);
    return objects.commit({ tree, parents, message: 'octopus' });
  }),
  commit('a signature of 1 MiB', TOO_LONG, { headers: `gpgsig ${'A'.repeat(MIB)}\n` }),
  commit('a header that nobody knows, 60 kB', 'published', { headers: `x-header ${upTo('x')}\n` }),
  commit('an encoding that nobody knows', /has the encoding x-bottle/, {
    headers: 'encoding x-bottle\n',
    message: Buffer.from([0xff, 0xfe, 10]),
  }),
  commit('an encoding of 60 kB', /has the encoding x+…, and only/, { headers: `encoding ${upTo('x')}\n` }),
  commit('thousands of encodings', /has the encoding latin1/, { headers: upTo('encoding latin1\n') }),
  commit('an author with a name of 100 kB', TOO_LONG, {
    author: { name: 'n'.repeat(100_000), email: 'a@b' },
  }),
  commit('an author with a name of 60 kB', /and only commits of/, {
    author: { name: 'n'.repeat(30_000), email: 'a@b' },
  }),
  commit('a time in the year 2286', 'published', { time: 9_999_999_999 }),
  raw(
    'a time beyond all clocks',
    NOT_ACCEPTED,
    (tree, who, base) =>
      `tree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who.replace('1700000000', '9'.repeat(30))}\n\nx\n`,
  ),
  raw(
    'a commit without an author',
    NOT_ACCEPTED,
    (tree, who, base) => `tree ${tree}\nparent ${base}\ncommitter ${who}\n\nx\n`,
  ),
  raw(
    'a commit with two trees',
    NOT_ACCEPTED,
    (tree, who, base) => `tree ${tree}\ntree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n\nx\n`,
  ),
  raw('a commit that is one line', NOT_ACCEPTED, () => 'x'.repeat(1000)),
  raw(
    'a commit whose tree is missing',
    NOT_ACCEPTED,
    (_, who, base) => `tree ${'1'.repeat(40)}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n\nx\n`,
  ),
  raw(
    'a commit whose parent is missing',
    NOT_ACCEPTED,
    (tree, who) => `tree ${tree}\nparent ${'1'.repeat(40)}\nauthor ${who}\ncommitter ${who}\n\nx\n`,
  ),
  hostile('a commit whose tree is a file', NOT_ACCEPTED, (objects, { base }) =>
    objects.commit({ tree: objects.blob('no tree'), parents: [base], message: 'x' }),
  ),
  hostile('a branch whose tip is a tag', /tip is not a commit/, (objects, place) => {
    const commitId = ofFile(objects, place, 'x');
    const { name, email } = place.author;
    return objects.add(
      'tag',
      `object ${commitId}\ntype commit\ntag t\ntagger ${name} <${email}> 1700000000 +0000\n\n${'t'.repeat(MIB)}`,
    );
  }),
  hostile('a branch whose tip is a tree', /tip is not a commit/, (objects) => someTree(objects)),
  hostile('a branch whose tip is a file', /tip is not a commit/, (objects) => objects.blob('x')),
  message('a message with NUL', 'before\0after\n', NOT_ACCEPTED),
  message('a message of line feeds', upTo('\n')),
  message('a message of carriage returns', upTo('\r')),
  message('a message of marks of direction', upTo('\u202e\u2066')),
  message('a message of half characters', Buffer.alloc(60_000, 0xc3)),
  message('a message of open fences', upTo('~~~x\n')),
  message('a message of opening brackets', upTo('[![<')),
  message(
    'a message that reads like the output of git log',
    upTo(
      'commit 1111111111111111111111111111111111111111\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+y\n',
    ),
  ),
  message(
    'a message that says the disk is full',
    'fatal: No space left on device\nOut of memory, malloc failed\n',
  ),
  message('no message at all', ''),
  hostile('a message of the beginning of our secret', 'published', (objects, { base, secret }) =>
    objects.commit({ tree: someTree(objects), parents: [base], message: upTo(secret.slice(0, 20)) }),
  ),
  hostile(
    'our secret at the end of a long message',
    /known-secret:forge-token/,
    (objects, { base, secret }) =>
      objects.commit({
        tree: someTree(objects),
        parents: [base],
        message: `${upTo('lorem\n')}${secret.split('').join('\n')}`,
      }),
  ),
];
