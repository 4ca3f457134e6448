import { GitOverrunError } from '../../../domain/base/errors.js';
import type { GitPublishRequest, GitPublishVerdict } from '../../../domain/workspace/git-repository.js';
import type { SecretGuard } from '../../../domain/secret/secret-guard.js';
import { secretRefusal } from '../../../domain/run/secret-refusal.js';
import type { SecretScanReport } from '../../../domain/secret/secret-scanner.js';
import type { BundleHeader } from '../bundle-file.js';
import { eachRecord, isAncestorIn, newCommits, type Candidate } from './candidate.js';
import { hasForeignGitlink } from './gitlink-changes.js';
import { CHECKS_BEFORE_SCAN, CHECKS_BESIDE_SCAN, type PublishCheck } from './publish-checks.js';
import { takeIn } from './quarantine.js';
import { scanForSecrets } from './scan-for-secrets.js';
import type { SubmoduleSource } from '../submodule-source.js';

const TOO_MUCH =
  'the new commits take more time or memory to check than there is for it: make them smaller and simpler (fewer files, ' +
  'no huge or deeply nested directories, no huge files), and publish again';

export type CheckedCommits =
  | { readonly kind: 'clean'; readonly candidate: Candidate; readonly secretScan: SecretScanReport }
  | Exclude<GitPublishVerdict, { readonly kind: 'pushed' }>;

type Quarantine = Pick<Candidate, 'dir' | 'branchSha' | 'baseTip' | 'limits' | 'signal'>;

interface Checkers {
  readonly secrets: SecretGuard;
  readonly submodules: SubmoduleSource;
}

/**
 * Everything between the bundle and the push. A check that goes beyond its limits is the commits' doing, and refuses them.
 * Errors: `GitError` for what they have no hand in.
 */
export async function checkCommits(
  request: GitPublishRequest,
  header: BundleHeader,
  quarantine: Quarantine,
  checkers: Checkers,
): Promise<CheckedCommits> {
  try {
    return await check(request, header, quarantine, checkers);
  } catch (error) {
    if (error instanceof GitOverrunError) return { kind: 'refused', reason: error.reason ?? TOO_MUCH };
    throw error;
  }
}

async function check(
  request: GitPublishRequest,
  header: BundleHeader,
  quarantine: Quarantine,
  { secrets, submodules }: Checkers,
): Promise<CheckedCommits> {
  const { head } = header;
  const reason = await takeIn(quarantine, request.bundleFile, header, request.maxBytes);
  if (reason !== undefined) return { kind: 'refused', reason };
  const commits: string[] = [];
  await eachRecord(quarantine, ['rev-list', '--reverse', ...newCommits(header)], '\n', (id) => {
    commits.push(id);
  });
  const candidate = { ...quarantine, request, head, commits };
  if (await hasNothingNew(candidate))
    return { kind: 'unchanged', head: candidate.branchSha ?? head, onForge: candidate.branchSha !== null };
  const why = await firstObjection(candidate, CHECKS_BEFORE_SCAN);
  if (why !== undefined) return { kind: 'refused', reason: why };
  const work = [
    firstObjection(candidate, [...CHECKS_BESIDE_SCAN, (one) => hasForeignGitlink(one, submodules)]),
    scanForSecrets(candidate, secrets),
  ] as const;
  // The quarantine is removed after this: when one of them fails, the other still reads it.
  await Promise.allSettled(work);
  const objection = await work[0];
  if (objection !== undefined) return { kind: 'refused', reason: objection };
  const scan = await work[1];
  const secretScan = secrets.report(scan);
  const secret = secretRefusal(scan, request.baseSha);
  if (secret !== undefined) return { kind: 'refused', reason: secret, secretScan };
  return { kind: 'clean', candidate, secretScan };
}

async function firstObjection(
  candidate: Candidate,
  checks: readonly PublishCheck[],
): Promise<string | undefined> {
  for (const check of checks) {
    candidate.signal?.throwIfAborted();
    const why = await check(candidate);
    if (why !== undefined) return why;
  }
  candidate.signal?.throwIfAborted();
  return undefined;
}

/** Nothing to push: the forge's branch has it all, or there is no branch yet and no commit of its own to make one for. */
async function hasNothingNew(candidate: Candidate): Promise<boolean> {
  const { branchSha, head, commits } = candidate;
  return branchSha === null ? commits.length === 0 : isAncestorIn(candidate, head, branchSha);
}
