import { refusedPaths } from '../../domain/publish-policy.js';
import { isAncestorIn, newCommits, quarantined, type Candidate } from './candidate.js';
import { changesOfCommits, changesBetween } from './changes.js';
import { plainText } from './git-failure.js';

/** One check of the publish gate: resolves with the reason, in words an agent can act on, when it refuses. */
export type PublishStep = (candidate: Candidate) => Promise<string | undefined>;

/** In this order; a further check is one more entry. */
export const PUBLISH_STEPS: readonly PublishStep[] = [
  buildsOnTurnStart,
  keepsForgeBranch,
  staysInLimits,
  keepsProtectedPaths,
];

async function buildsOnTurnStart(candidate: Candidate): Promise<string | undefined> {
  const { baseSha } = candidate.request;
  if (await isAncestorIn(candidate.dir, baseSha, candidate.head)) return undefined;
  return (
    `the branch was rewritten: ${baseSha}, where this turn started, is not in its history any more. Don't rebase, amend ` +
    `or reset what was there before: put the new commits on top of it (git checkout -B ${candidate.request.branch} ` +
    `${baseSha}, then cherry-pick them)`
  );
}

async function keepsForgeBranch(candidate: Candidate): Promise<string | undefined> {
  const { branchSha, request } = candidate;
  if (branchSha === null || (await isAncestorIn(candidate.dir, branchSha, candidate.head))) return undefined;
  const author = plainText(await quarantined(candidate, ['log', '-1', '--format=%an', branchSha]), 60);
  return (
    `${author || 'somebody'} pushed ${branchSha.slice(0, 12)} to the branch: merge refs/remotes/pr/${request.branch} ` +
    'first (it is brought up to date at the start of each turn), then publish again'
  );
}

async function staysInLimits(candidate: Candidate): Promise<string | undefined> {
  const { maxBytes, maxFiles } = candidate.request;
  const objects = await quarantined(candidate, [
    'rev-list',
    '--objects',
    '--no-object-names',
    ...newCommits(candidate),
  ]);
  const sizes = await quarantined(candidate, ['cat-file', '--batch-check=%(objectsize)'], objects);
  const bytes = sizes.split('\n').reduce((sum, size) => sum + Number(size), 0);
  if (!(bytes <= maxBytes)) {
    return (
      `the new commits hold ${String(bytes)} bytes, more than the ${String(maxBytes)} that may be published: take large ` +
      'or generated files out of the commits themselves, a later removal is not enough'
    );
  }
  const files = new Set((await changesOfCommits(candidate)).map((change) => change.path)).size;
  if (files <= maxFiles) return undefined;
  return `the new commits change ${String(files)} files, more than the ${String(maxFiles)} that may be published`;
}

async function keepsProtectedPaths(candidate: Candidate): Promise<string | undefined> {
  const { allowPaths, baseSha } = candidate.request;
  const commits = await changesOfCommits(candidate);
  const [refused] = refusedPaths(
    commits.map(({ path }) => path),
    allowPaths,
  );
  if (refused !== undefined) {
    const commit = commits.find(({ path }) => path === refused)?.commit.slice(0, 12) ?? '';
    return (
      `commit ${commit} changes ${plainText(refused, 200)}, which is not published: CI or the forge would act on it. Take ` +
      `it out of the commits themselves, a later removal is not enough (git reset --soft ${baseSha}, git restore ` +
      '--staged --worktree the file, commit again)'
    );
  }
  const [undone] = refusedPaths(await netChanges(candidate), allowPaths);
  if (undone === undefined) return undefined;
  return (
    `${plainText(undone, 200)} differs from the base branch, and such a change is not published: CI or the forge would ` +
    'act on it. Where the branch merges the base, keep the base branch’s version of the file'
  );
}

/**
 * What the pull request changes as a whole, without what is on the forge's branch already (a person's push). The walk
 * over commits does not see a merge that keeps an old version of a file against the base's new one; this does.
 */
async function netChanges(candidate: Candidate): Promise<string[]> {
  const { baseTip, branchSha, head } = candidate;
  if (baseTip === null) return [];
  // No common history means everything is a change.
  const fork = (await quarantined(candidate, ['merge-base', baseTip, head]).catch(() => '')).trim();
  const changed =
    fork === ''
      ? await changesBetween(candidate, baseTip, head)
      : await changesBetween(candidate, fork, head);
  if (branchSha === null) return changed;
  const sincePush = new Set(await changesBetween(candidate, branchSha, head));
  return changed.filter((path) => sincePush.has(path));
}
