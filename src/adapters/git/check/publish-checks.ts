import { nameObjection, refusedPaths } from '../../../domain/workspace/publish-policy.js';
import { isAncestorIn, quarantineFailure, quarantined, tryToRun, type Candidate } from './candidate.js';
import { changesOfCommits, changesBetween } from './changes.js';
import { hasItsAuthor } from './commit-authors.js';
import { leavesNoConflict } from './conflict-marks.js';
import { plainText } from '../git-failure.js';
import { leavesNoLfsPointer } from './lfs-pointers.js';
import { staysInLimits } from './size-limits.js';

/** One check of the publish gate: resolves with the reason, in words an agent can act on, when it refuses. */
export type PublishCheck = (candidate: Candidate) => Promise<string | undefined>;

/** In this order; a further check is one more entry here or below. They bound what the search for secrets has to read. */
export const CHECKS_BEFORE_SCAN: readonly PublishCheck[] = [
  buildsOnTurnStart,
  containsUpstream,
  keepsForgeBranch,
  staysInLimits,
  hasPlainPaths,
];

/** In this order, while secrets are looked for: see `scanForSecrets`. */
export const CHECKS_BESIDE_SCAN: readonly PublishCheck[] = [
  keepsProtectedPaths,
  hasItsAuthor,
  leavesNoLfsPointer,
  leavesNoConflict,
];

async function buildsOnTurnStart(candidate: Candidate): Promise<string | undefined> {
  const { baseSha } = candidate.request;
  if (await isAncestorIn(candidate, baseSha, candidate.head)) return undefined;
  return (
    `the branch was rewritten: ${baseSha} is not in its history any more. Don't rebase, amend or reset what was ` +
    `published or given to you: put the new commits on top of it (git checkout -B ${candidate.request.branch} ` +
    `${baseSha}, then cherry-pick them)`
  );
}

async function containsUpstream(candidate: Candidate): Promise<string | undefined> {
  const { upstreamSha } = candidate.request;
  if (upstreamSha === undefined || (await isAncestorIn(candidate, upstreamSha, candidate.head)))
    return undefined;
  return `upstream is not merged: ${upstreamSha} is not in the history of ${candidate.head}`;
}

async function keepsForgeBranch(candidate: Candidate): Promise<string | undefined> {
  const { branchSha, request } = candidate;
  if (branchSha === null || (await isAncestorIn(candidate, branchSha, candidate.head))) return undefined;
  const author = plainText(await quarantined(candidate, ['log', '-1', '--format=%an', branchSha]), 60);
  return (
    `${author || 'somebody'} pushed ${branchSha.slice(0, 12)} to the branch: merge refs/remotes/pr/${request.branch} ` +
    'first (it is brought up to date at the start of each turn), then publish again'
  );
}

/** Of every new commit: what a later one takes away is published all the same. */
async function hasPlainPaths(candidate: Candidate): Promise<string | undefined> {
  for (const { commit, path, deleted } of await changesOfCommits(candidate)) {
    const objection = deleted ? undefined : nameObjection(path);
    if (objection !== undefined)
      return (
        `commit ${commit.slice(0, 12)} has a file with ${objection} (${plainText(path, 200)}): give it another name in ` +
        'the commit itself'
      );
  }
  return undefined;
}

async function keepsProtectedPaths(candidate: Candidate): Promise<string | undefined> {
  const { allowPaths, baseSha, upstreamSha } = candidate.request;
  if (upstreamSha !== undefined) return takesProtectedPathsFrom(candidate, [baseSha, upstreamSha]);
  const commits = await changesOfCommits(candidate);
  const [refused] = refusedPaths(
    commits.map(({ path }) => path),
    allowPaths,
  );
  if (refused !== undefined) {
    const commit = commits.find(({ path }) => path === refused)?.commit.slice(0, 12) ?? '';
    return (
      `commit ${commit} changes ${plainText(refused, 200)}, which is not published: CI, the forge or a later run would act on it. ` +
      `Take it out of the commits themselves, a later removal is not enough (git reset --soft ${baseSha}, git restore ` +
      '--staged --worktree the file, commit again)'
    );
  }
  const [undone] = await netChanges(candidate);
  if (undone === undefined) return undefined;
  return (
    `${plainText(undone, 200)} differs from the base branch, and such a change is not published: CI, the forge or a ` +
    'later run would act on it. Merge the base branch and keep its version of the file'
  );
}

/** Each is held against both sides. */
const MAX_SUSPECTS = 50;

/**
 * Of a fork that merges its upstream: each commit has there, by mode and id, what one of the two has, or nothing where one
 * has nothing. What a later one takes away is published all the same, so the last commit alone does not tell.
 */
async function takesProtectedPathsFrom(
  candidate: Candidate,
  theirs: readonly string[],
): Promise<string | undefined> {
  const { allowPaths } = candidate.request;
  const changes = await changesOfCommits(candidate);
  const suspects = changes.filter(({ path }) => refusedPaths([path], allowPaths).length > 0);
  const commits = new Set([...suspects.map((change) => change.commit), candidate.head]);
  if (commits.size > MAX_SUSPECTS)
    return `more than ${String(MAX_SUSPECTS)} commits change files that CI or the forge act on: make them fewer`;
  for (const commit of commits) {
    const differing = await Promise.all(theirs.map((one) => changesBetween(candidate, one, commit)));
    const [first = [], ...others] = differing.map((paths) => refusedPaths(paths, allowPaths));
    const own = first.find((path) => others.every((paths) => paths.includes(path)));
    if (own !== undefined)
      return (
        `commit ${commit.slice(0, 12)} has ${plainText(own, 200)} neither as the fork has it nor as upstream has it, which is not ` +
        'published: CI, the forge or a later run would act on it. Take one of the two as it is, in the commits themselves'
      );
  }
  return undefined;
}

/**
 * Protected paths that the pull request changes as a whole, without those that somebody changed on the forge's branch (a
 * person's push). The walk over commits does not see a merge that keeps an old version of a file against the base's new
 * one; this does.
 */
async function netChanges(candidate: Candidate): Promise<string[]> {
  const { baseTip, branchSha, head } = candidate;
  const { allowPaths } = candidate.request;
  if (baseTip === null) return [];
  const [fork = baseTip, ...others] = await forksFrom(candidate, baseTip, head);
  // Several are no measure: a file may be as the older one has it, and undo what the newer one brought.
  const measure = others.length === 0 ? fork : baseTip;
  const changed = refusedPaths(await changesBetween(candidate, measure, head), allowPaths);
  if (branchSha === null || changed.length === 0) return changed;
  const sincePush = new Set(await changesBetween(candidate, branchSha, head));
  const theirs = await ownChanges(candidate, baseTip, branchSha);
  return changed.filter((path) => sincePush.has(path) || !theirs.has(path));
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Criss-cross merges of people have two or three. */
const MAX_FORKS = 20;

/** Paths that a branch has as the base never had them where the two parted: not those that are merely older than the base's. */
async function ownChanges(candidate: Candidate, baseTip: string, branch: string): Promise<Set<string>> {
  const forks = await forksFrom(candidate, baseTip, branch);
  if (forks.length > MAX_FORKS) return new Set();
  const [first = EMPTY_TREE, ...others] = forks;
  let own = await changesBetween(candidate, first, branch);
  for (const fork of others) {
    const changed = new Set(await changesBetween(candidate, fork, branch));
    own = own.filter((path) => changed.has(path));
  }
  return new Set(own);
}

/** Best common ancestors: none without a common history, several after criss-cross merges. */
async function forksFrom(candidate: Candidate, base: string, commit: string): Promise<string[]> {
  const output = await tryToRun(candidate, ['merge-base', '--all', base, commit]);
  if (output.exitCode > 1) throw quarantineFailure(output);
  return output.stdout.split('\n').filter((line) => line !== '');
}
