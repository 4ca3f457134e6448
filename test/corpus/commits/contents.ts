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
  content('a line of 8 MiB', 'published', () => Buffer.alloc(8 * MIB, 'lorem ')),
  content('a million lines', 'published', () => 'lorem\n'.repeat(1_000_000)),
  content('4 MiB of nothing', 'published', () => Buffer.alloc(4 * MIB)),
  content('4 MiB of line feeds', 'published', () => Buffer.alloc(4 * MIB, '\n')),
  content('4 MiB of the beginning of our secret', 'published', ({ secret }) =>
    Buffer.alloc(4 * MIB, secret.slice(0, 20)),
  ),
  content('our secret behind 4 MiB', /known-secret:forge-token/, ({ secret }) =>
    Buffer.concat([Buffer.alloc(4 * MIB, 'x '), Buffer.from(secret)]),
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
  content('one assignment of 1 MiB', 'published', () => `password_of = ${'a'.repeat(MIB)}`),
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
