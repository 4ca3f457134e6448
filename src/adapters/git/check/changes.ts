import { GitOverrunError } from '../../../domain/base/errors.js';
import { eachRecord, oncePerCandidate, type Candidate } from './candidate.js';

export interface Change {
  readonly commit: string;
  readonly path: string;
  /** Gone afterwards. */
  readonly deleted: boolean;
  /** The commit of a submodule that it is afterwards. */
  readonly submodule: string | null;
  /** Blobs that an ordinary file was, in each parent that had one, and is. */
  readonly before: readonly string[];
  readonly after: string | null;
  /** Blob with the target of a symbolic link that it is afterwards. */
  readonly link: string | null;
}

const DIFF_TREE = [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--no-renames',
  '--no-ext-diff',
  '--ignore-submodules=none',
];

/**
 * Every path that every new commit changes, oldest commit first, not only what is left of it at the end. Of a merge the paths that are like
 * in none of its parents count (`-c`): what a parent brings was changed by a commit that is walked itself or is on the
 * forge already, so merging the base branch is ordinary work.
 */
export const changesOfCommits = oncePerCandidate(listChanges);

async function listChanges(candidate: Candidate): Promise<Change[]> {
  const { commits, request } = candidate;
  if (commits.length === 0) return [];
  const changes: Change[] = [];
  const bounds = new ChangeBounds(request.maxFiles);
  const input = commits.map((commit) => `${commit}\n`).join('');
  await eachChange(candidate, ['-c', '--root', '--stdin'], input, (change) => {
    bounds.count(change.path);
    changes.push(change);
  });
  return changes;
}

/** Paths that differ between two commits. */
export async function changesBetween(candidate: Candidate, from: string, to: string): Promise<string[]> {
  const paths: string[] = [];
  await eachChange(candidate, [from, to], undefined, ({ path }) => void paths.push(path));
  return paths;
}

/** Times that a file may change, on average. */
const CHANGES_A_FILE = 10;
/** Bytes of all names of changed files together, each as often as it changes. */
const MAX_NAME_BYTES = 16 * 1024 * 1024;

/**
 * Stops git as soon as it has written enough to refuse: a few kilobytes of nested trees stand for more files than anybody
 * could list.
 */
class ChangeBounds {
  readonly #paths = new Set<string>();
  #changes = 0;
  #bytes = 0;

  constructor(private readonly maxFiles: number) {}

  count(path: string): void {
    this.#paths.add(path);
    this.#changes += 1;
    this.#bytes += path.length;
    const { maxFiles } = this;
    if (this.#paths.size > maxFiles)
      refuse(
        `the new commits change more than ${String(maxFiles)} files, which is the most that may be published`,
      );
    if (this.#changes > maxFiles * CHANGES_A_FILE || this.#bytes > MAX_NAME_BYTES)
      refuse('the new commits change the same files too often: put several of them together into one');
  }
}

function refuse(reason: string): never {
  throw new GitOverrunError('the new commits change too much', reason);
}

/** Raw format (git-diff-tree(1)): a commit id, then for each file a field that begins with `:` and the path. */
async function eachChange(
  candidate: Candidate,
  args: readonly string[],
  commits: string | undefined,
  take: (change: Change) => void,
): Promise<void> {
  let commit = '';
  let status: string | undefined;
  const read = (field: string): void => {
    if (status !== undefined) {
      take({ commit, path: field, ...parseStatus(status) });
      status = undefined;
    } else if (field.startsWith(':')) status = field;
    else commit = field.trim();
  };
  await eachRecord(candidate, [...DIFF_TREE, ...args], '\0', read, { input: commits });
}

/** A colon for each parent, modes before and after, ids before and after, and the status: a letter for each parent. */
function parseStatus(field: string): Pick<Change, 'deleted' | 'submodule' | 'before' | 'after' | 'link'> {
  const parents = /^:+/.exec(field)?.[0].length ?? 0;
  const words = field.slice(parents).split(' ');
  const sides = words
    .slice(0, parents + 1)
    .map((mode, side) => ({ mode, id: words[parents + 1 + side] ?? '' }));
  const after = sides.at(-1);
  return {
    deleted: /^D+$/.test(words.at(-1) ?? ''),
    submodule: after?.mode === '160000' ? after.id : null,
    before: sides.slice(0, -1).flatMap(({ mode, id }) => (isFile(mode) ? [id] : [])),
    after: after !== undefined && isFile(after.mode) ? after.id : null,
    link: after?.mode === '120000' ? after.id : null,
  };
}

function isFile(mode: string): boolean {
  return mode.startsWith('100');
}
