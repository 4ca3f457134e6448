import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for the tests of one suite, and a hook that removes it. */
export function useTempDir(): (name: string) => string {
  const root = mkdtempSync(join(tmpdir(), 'bot-bottle-test-'));
  // Again, for a suite that is run once more in the same process: `script/mutate` does that for each change.
  before(() => {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  });
  after(() => {
    rmSync(root, { recursive: true, force: true });
  });
  return (name) => join(root, name);
}

/** Each call is another path in a directory of the suite; nothing is there. */
export function useNewPaths(): () => string {
  const path = useTempDir();
  let count = 0;
  return () => path(`new-${String((count += 1))}`);
}

/** Hands each test of a suite a directory of its own, 0700, which is removed behind it. */
export function useDirectories(hand: (directory: string) => void): void {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bot-bottle-test-'));
    hand(directory);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });
}
