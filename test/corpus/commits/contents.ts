import { hostile, MIB, ofFile, type HostileCommits, type Place } from './hostile-commits.js';

function content(
  name: string,
  end: HostileCommits['end'],
  make: (place: Place) => Buffer | string,
  path?: string,
): HostileCommits {
  return hostile(name, end, (objects, place) => ofFile(objects, place, make(place), path));
}

/** What is in files: long lines, many lines, what a search or a scanner stumbles over. */
export const CONTENTS: readonly HostileCommits[] = [
  content('a line of 1 MiB', 'published', () => Buffer.alloc(MIB, 'lorem ')),
  content('200,000 lines', 'published', () => 'lorem\n'.repeat(200_000)),
  content('2 MiB of nothing', 'published', () => Buffer.alloc(2 * MIB)),
  content('a file of 16 MiB that is compressed to little', /file of commit \w+ has 16777216 bytes/, () =>
    Buffer.alloc(16 * MIB),
  ),
  content('1 MiB of line feeds', 'published', () => Buffer.alloc(MIB, '\n')),
  content('2 MiB of the beginning of our secret', 'published', ({ secret }) =>
    Buffer.alloc(2 * MIB, secret.slice(0, 20)),
  ),
  content('our secret behind 2 MiB', /known-secret:forge-token/, ({ secret }) =>
    Buffer.concat([Buffer.alloc(2 * MIB, 'x '), Buffer.from(secret)]),
  ),
  content('what a scanner takes for keys, 2,000 times', /looks like a secret|could not be checked/, () =>
    Array.from(
      { length: 2_000 },
      (_, at) =>
        `key = "AKIA${String(at)
          .padStart(4, '2')
          .replace(/[0189]/g, 'Q')}ZXCVBNMQWERT"\n`,
    ).join(''),
  ),
  content('one assignment of 32 KiB', 'published', () => `password_of = ${'a'.repeat(32 * 1024)}`),
  content('what reads like the output of git log', 'published', () =>
    'commit 1111111111111111111111111111111111111111\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9999999 +1,9999999 @@\n'.repeat(
      5_000,
    ),
  ),
  content(
    'attributes without end',
    'published',
    () => '* text=auto eol=crlf diff=x filter=y\n'.repeat(20_000),
    '.gitattributes',
  ),
];
