import type { TurnRecord } from '../../domain/run/run-files.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import type { TurnRefs } from '../../domain/workspace/git-repository.js';
import type { HostPorts } from '../ports/host-ports.js';
import { repositoryOf, type RunRef } from '../ports/inputs.js';
import { knownCommits } from './extract-work.js';

/**
 * Whether `STUCK.md` is new or changed in this turn: neither as the last turn left it nor as base or branch had it when
 * this one began. A repository may have such a file itself.
 * @param now hash of the file, `null` without one
 * @param before hash of the file as the last turn left it, none without one or before the first turn's end
 */
export async function isStuck(
  { git }: Pick<HostPorts, 'git'>,
  run: Pick<RunRef, 'subject' | 'source'>,
  { refs, knownStuck }: Pick<TurnRecord, 'refs' | 'knownStuck'>,
  now: string | null,
  before: string | null | undefined,
): Promise<boolean> {
  if (now === null || now === before) return false;
  return !(knownStuck ?? (await stuckIn(git, repositoryOf(run), refs))).includes(now);
}

/** Hashes of `STUCK.md` in base and branch. Asked as the turn begins: later the mirror may have another name. */
export async function stuckIn(
  git: HostPorts['git'],
  repo: RepoRef,
  refs: TurnRefs | null,
): Promise<readonly string[]> {
  return git.blobsOf(repo, 'STUCK.md', knownCommits(refs));
}
