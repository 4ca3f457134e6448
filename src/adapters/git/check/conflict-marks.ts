import { tryToRun, quarantineFailure, type Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { plainText } from '../git-failure.js';

/** How `git merge` ends a conflict: with what was merged, by the name that a sync gives it or by its id. */
const MARK = '^>{7} ((refs/remotes/)?upstream/|[0-9a-f]{7,40}([^0-9a-z]|$))';
/** Of one command line. */
const MAX_IDS = 1000;

/** A conflict that is committed as git left it is not solved. Of a merge with upstream, and of what its files are in the end. */
export async function leavesNoConflict(candidate: Candidate): Promise<string | undefined> {
  if (candidate.request.upstreamSha === undefined) return undefined;
  const last = new Map((await changesOfCommits(candidate)).map(({ path, after }) => [path, after]));
  const files = [...last].flatMap(([path, id]) => (id === null ? [] : [[id, path] as const]));
  for (let at = 0; at < files.length; at += MAX_IDS) {
    const some = new Map(files.slice(at, at + MAX_IDS));
    const args = ['grep', '-I', '-l', '-E', '-e', MARK, ...some.keys()];
    const output = await tryToRun(candidate, args);
    if (output.exitCode > 1) throw quarantineFailure(output);
    const [first = ''] = output.stdout.split('\n');
    if (first === '') continue;
    const path = plainText(some.get(first) ?? '', 200);
    return `${path} has a conflict as git marked it (>>>>>>>), which nobody has solved`;
  }
  return undefined;
}
