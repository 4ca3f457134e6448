import { GitError } from '../../domain/base/errors.js';
import { localGit } from './local-git.js';

const TIMEOUT_MS = 2 * 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

/**
 * Commits that `git clone --depth` would make the end of the history: reached from a tip in `depth` steps and no fewer,
 * the tip itself being the first, with parents. Read from as few commits as do.
 * @param depth 1 or more
 */
export async function shallowBoundary(
  gitDir: string,
  tips: readonly string[],
  depth: number,
): Promise<readonly string[]> {
  for (let count = depth * 4 + 100; ; count *= 4) {
    const parents = await readParents(gitDir, tips, count);
    const boundary = boundaryIn(parents, tips, depth);
    if (boundary !== undefined) return boundary;
    // git gave all there is, and still one is missing.
    if (parents.size < count) throw new GitError('the mirror lacks commits of a branch', false);
  }
}

/** How many commits deep a history is that has what two tips have in common: without it neither can be merged into the other. */
export async function depthOfFork(gitDir: string, tips: readonly string[]): Promise<number> {
  const [one, other] = tips;
  if (one === undefined || other === undefined) return 1;
  const args = ['rev-list', '--count', '--left-right', `${one}...${other}`, '--'];
  const counts = await localGit(gitDir, 'reading the history', args, { timeoutMs: TIMEOUT_MS });
  return Math.max(...counts.split('\t').map(Number)) + 1;
}

/** `undefined` when a commit's parents must be known that are not among those given. */
export function boundaryIn(
  parents: ReadonlyMap<string, readonly string[]>,
  tips: readonly string[],
  depth: number,
): readonly string[] | undefined {
  const seen = new Set(tips);
  let level = [...seen];
  for (let step = 1; level.length > 0; step += 1) {
    const known = level.map((id) => [id, parents.get(id)] as const);
    if (known.some(([, ids]) => ids === undefined)) return undefined;
    if (step === depth) return known.flatMap(([id, ids]) => ((ids ?? []).length > 0 ? [id] : [])).sort();
    level = [];
    for (const id of known.flatMap(([, ids]) => ids ?? [])) {
      if (seen.has(id)) continue;
      seen.add(id);
      level.push(id);
    }
  }
  return [];
}

async function readParents(
  gitDir: string,
  tips: readonly string[],
  count: number,
): Promise<Map<string, readonly string[]>> {
  const args = ['rev-list', '--parents', `--max-count=${String(count)}`, ...tips, '--'];
  const how = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT };
  const output = await localGit(gitDir, 'reading the history', args, how);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [id = '', ...ids] = line.split(' ');
      return [id, ids];
    }),
  );
}
