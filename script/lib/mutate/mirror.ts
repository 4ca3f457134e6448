import path from 'node:path';

/** Thousands of generated cases, or times that are measured: a change in a small way is for a small test to notice. */
const TOO_SLOW = /(?:\.property|-cpu)\.test\.ts$/;
const IMPORTED = /from '((?:\.\.\/)+src\/[^']+)\.js'/g;

/**
 * The unit tests of a file or folder of `src`: first those of its folder, then those in the folders above it and those
 * elsewhere that import something of it. Where there are none, those of the folder that it is in.
 * @param sourceOf text of a test
 */
export function testsFor(
  target: string,
  unitTests: readonly string[],
  sourceOf: (test: string) => string,
): readonly string[] {
  const folder = target.endsWith('.ts') ? path.posix.dirname(target) : target;
  const mirror = path.posix.join('test/unit', path.posix.relative('src', folder));
  const quick = unitTests.filter((test) => !TOO_SLOW.test(test));
  const own = quick.filter((test) => test.startsWith(`${mirror}/`));
  const isAbove = (test: string): boolean => mirror.startsWith(`${path.posix.dirname(test)}/`);
  const isUser = (test: string): boolean =>
    importsOf(test, sourceOf(test)).some((file) => file.startsWith(`${folder}/`));
  const tests = [...own, ...quick.filter((test) => !own.includes(test) && (isAbove(test) || isUser(test)))];
  return tests.length > 0 || folder === 'src'
    ? tests
    : testsFor(path.posix.dirname(folder), unitTests, sourceOf);
}

function importsOf(test: string, source: string): readonly string[] {
  const folder = path.posix.dirname(test);
  return [...source.matchAll(IMPORTED)].map(([, file = '']) => `${path.posix.join(folder, file)}.ts`);
}
