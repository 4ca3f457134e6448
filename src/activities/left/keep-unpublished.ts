import { lastPushed } from '../base/last-pushed.js';
import { recordBefore } from '../base/record-before.js';
import type { HostPorts } from '../ports/host-ports.js';
import { extractWork, knownCommits } from '../publish/extract-work.js';
import { ForgeHttpError, GitAccessError, GitError, GitOverrunError } from '../../domain/base/errors.js';
import { isLocal, type RepoRef, type SubjectRef } from '../../domain/forge/issue.js';
import { leftBundle, UNPUBLISHED_BUNDLE, WORK_BUNDLE, type TurnRecord } from '../../domain/run/run-files.js';
import { isFinal } from '../base/tries.js';
import { readMetadata } from '../base/run-text.js';
import { whereItIs } from '../prepare/where-it-is.js';
import { branchOf, issueOfSlug, localBranchOf } from '../../domain/run/slug.js';
import { newestSnapshot } from '../transcript/kept-snapshots.js';

/** What must be known of a run to end it. */
export interface EndedRun {
  readonly slug: string;
  /** `null` when nobody knows any more: then every commit counts as one that nobody has. */
  readonly subject: SubjectRef | null;
  /** The forge's id of the repository; without it, what the run's own file says. */
  readonly repoId?: number | null;
  /** `null` when no turn was ever prepared. */
  readonly branch: string | null;
  /** Its last one; without it, the last whose session was kept. */
  readonly turn?: number;
  /** Of a run without an issue: where its commits come from, as far as that is known. */
  readonly source?: RepoRef;
  /** It goes on on another host, which may share this engine: then what has that host's label is not touched. */
  readonly elsewhere?: boolean;
}

/**
 * Commits that are on no branch of the forge. A workspace that cannot be read has none; a forge or an engine that is
 * away comes back, and until then nothing is deleted. A repository that is gone, as the forge says when it is asked by its id, has
 * no branch that could hold them; one whose id nobody knows counts as gone when it cannot be reached.
 */
export async function keepUnpublished(
  ports: HostPorts,
  run: EndedRun,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const number = run.subject?.number ?? issueOfSlug(run.slug);
  const branch =
    run.branch ?? localBranchOf(run.slug) ?? (number === undefined ? undefined : branchOf(run.slug, number));
  if (branch === undefined) return;
  const had = await hadOnForge(ports, run);
  const known = await commitsOnForge(ports, run, branch, had);
  let work = await extractWork(ports, run, branch, known, 'unpublished', signal);
  // A whole history that the forge no longer has may be too much: then all that it had once is left out.
  if (work.kind === 'failed' && had.commits.some((commit) => !known.includes(commit)))
    work = await extractWork(ports, run, branch, [...known, ...had.commits], 'unpublished', signal);
  if (work.kind === 'failed') {
    ports.log.warn({ slug: run.slug, reason: work.reason }, 'unpublished commits could not be kept');
    return;
  }
  const { bundle } = work.extraction;
  if (bundle !== null) await ports.files.saveFile(run.slug, file, bundle);
}

export function bundleOfEnd(slug: string): string {
  return localBranchOf(slug) === undefined ? UNPUBLISHED_BUNDLE : WORK_BUNDLE;
}

/** By the move that left what is here: the first after the epoch that a turn was last begun in on this host. */
export async function bundleOfMove(files: HostPorts['files'], slug: string): Promise<string> {
  return leftBundle(((await readMetadata(files, slug))?.epoch ?? 0) + 1);
}

interface HadOnForge {
  readonly baseBranches: readonly string[];
  readonly commits: readonly string[];
}

/**
 * What the run saw on the forge and pushed to it. The newest turn may have ended before its commits came to the workspace, so those of
 * the one before it count, too.
 */
async function hadOnForge({ files }: Pick<HostPorts, 'files'>, run: EndedRun): Promise<HadOnForge> {
  const { slug } = run;
  const last = run.turn ?? (await newestSnapshot(files, slug));
  const hasRefs = ({ refs }: TurnRecord): boolean => refs !== null;
  const newest = await recordBefore(files, { slug, turn: last + 1 }, hasRefs);
  const before = await recordBefore(files, { slug, turn: newest?.turn ?? 0 }, hasRefs);
  const pushed = (await lastPushed({ files }, slug)) ?? [];
  return {
    baseBranches: [newest?.refs?.baseBranch ?? []].flat(),
    commits: [...new Set([newest, before].flatMap((one) => knownCommits(one?.refs)).concat(pushed))],
  };
}

/**
 * The forge's tips are mostly newer than the workspace, which can't leave out what it does not have: with them alone a run whose
 * pull request was merged, and its branch deleted, would keep the whole history. So what the run saw there is left out as
 * well, if it is still in the history of a tip; what was merged by squash is not, and is kept.
 */
async function commitsOnForge(
  ports: HostPorts,
  run: EndedRun,
  branch: string,
  had: HadOnForge,
): Promise<readonly string[]> {
  const repository = run.source ?? run.subject;
  // Nobody knows any more where they came from: all of them are kept.
  if (repository === null || (isLocal(repository) && repository.path === undefined)) return [];
  const repoId = run.repoId ?? (await readMetadata(ports.files, run.slug))?.repoId ?? null;
  const { subject } = run;
  try {
    if (subject === null || run.source !== undefined)
      return await lookForCommits(ports.git, repository, branch, had);
    return await whereItIs(ports.forgeFor, { repoId, subject }, async ({ subject: here }) => {
      const state = await ports.forks?.look(here);
      const fork = state?.kind === 'there' ? state.fork : undefined;
      return lookForCommits(ports.git, here, branch, had, fork);
    });
  } catch (error) {
    if (!isFinal(error) && !(error instanceof GitOverrunError)) throw error;
    // The repository is there, whatever it needs.
    if (!(error instanceof GitAccessError || error instanceof ForgeHttpError)) return had.commits;
    if (subject === null || repoId === null || (await isGoneFromForge(ports, subject, repoId))) return [];
    throw new GitError(error.message, true, { cause: error, away: true });
  }
}

/** Only the forge's own word counts: a token that ran out, a certificate or a proxy's 404 are mended. */
async function isGoneFromForge(
  { forgeFor }: Pick<HostPorts, 'forgeFor'>,
  subject: SubjectRef,
  repoId: number,
): Promise<boolean> {
  try {
    return (await forgeFor(subject).whereIs(repoId)) === undefined;
  } catch {
    return false;
  }
}

async function lookForCommits(
  git: HostPorts['git'],
  repository: RepoRef,
  branch: string,
  had: HadOnForge,
  fork?: RepoRef,
): Promise<readonly string[]> {
  const tips = knownCommits(await git.refresh(repository, branch, had.baseBranches, fork));
  const still: string[] = [];
  for (const commit of had.commits.filter((one) => !tips.includes(one)))
    for (const tip of tips)
      if (await git.isAncestor(repository, commit, tip)) {
        still.push(commit);
        break;
      }
  return [...tips, ...still];
}
