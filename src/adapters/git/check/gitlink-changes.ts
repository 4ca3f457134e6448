import type { Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { plainText } from '../git-failure.js';
import type { SubmoduleSource } from '../submodule-source.js';

/** Each costs a look at the forge. */
const MAX_CHANGED = 20;

/**
 * A submodule may move to a commit that its repository on the forge has, and to no other: nobody could check the branch
 * out. What an agent commits in a submodule is not published, and a repository inside the work tree that was added by
 * mistake is no submodule. Resolves with the reason when the candidate has such a change.
 */
export async function hasForeignGitlink(
  candidate: Candidate,
  submodules: SubmoduleSource,
): Promise<string | undefined> {
  const { request } = candidate;
  const changes = (await changesOfCommits(candidate)).flatMap(({ commit, path, submodule }) =>
    submodule === null ? [] : [{ commit, path, submodule }],
  );
  const distinct = [
    ...new Map(changes.map((change) => [`${change.path}\0${change.submodule}`, change])).values(),
  ];
  if (distinct.length > MAX_CHANGED)
    return `the commits change submodules ${String(distinct.length)} times, more than the ${String(MAX_CHANGED)} that are looked at`;
  for (const { commit, path, submodule } of distinct) {
    const gitlink = { path, commit: submodule };
    const why = await submodules.objection(request.repo, request.submoduleRepos, candidate, gitlink);
    if (why === undefined) continue;
    return (
      `commit ${commit.slice(0, 12)} sets the submodule ${plainText(path, 200)} to ${submodule.slice(0, 12)}, which is not ` +
      `published: ${plainText(why)}. What is committed in a submodule stays in the workspace. Take the change out of the ` +
      `commits themselves (git reset --soft ${request.baseSha}, git restore --staged the path, commit again)`
    );
  }
  return undefined;
}
