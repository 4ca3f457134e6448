import { newCommits, oncePerCandidate, quarantined, type Candidate } from './candidate.js';

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
  const commits = await quarantined(candidate, ['rev-list', '--reverse', ...newCommits(candidate)]);
  if (commits === '') return [];
  return parse(await quarantined(candidate, [...DIFF_TREE, '-c', '--root', '--stdin'], commits));
}

/** Paths that differ between two commits. */
export async function changesBetween(candidate: Candidate, from: string, to: string): Promise<string[]> {
  return parse(await quarantined(candidate, [...DIFF_TREE, from, to])).map((change) => change.path);
}

/** Raw format (git-diff-tree(1)): a commit id, then for each file a field that begins with `:` and the path. */
function parse(output: string): Change[] {
  const changes: Change[] = [];
  let commit = '';
  const fields = output.split('\0');
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i] ?? '';
    if (field.startsWith(':')) {
      i += 1;
      changes.push({ commit, path: fields[i] ?? '', ...parseStatus(field) });
    } else {
      commit = field.trim();
    }
  }
  return changes;
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
