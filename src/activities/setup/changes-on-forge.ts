import type { TurnRefs } from '../../domain/workspace/git-repository.js';
import type { MovedBranch } from '../../domain/prompt/prompt-input.js';
import { lastPushed } from '../base/last-pushed.js';
import { firstRecord, recordBefore } from '../base/record-before.js';
import type { HostPorts } from '../ports/host-ports.js';
import { repositoryOf, type RunTurnInput } from '../ports/inputs.js';
import type { TurnRecord } from '../../domain/run/run-files.js';

export interface ChangesOnForge {
  /** Somebody rewrote the run's branch: the workspace starts again from there. */
  readonly resetTo: string | null;
  /** What the agent must be told. */
  readonly moved: readonly MovedBranch[];
}

/** What others did to the base and to the run's own branch since the turn before. */
export async function changesOnForge(
  ports: HostPorts,
  input: RunTurnInput,
  refs: TurnRefs,
): Promise<ChangesOnForge> {
  const before = await recordBefore(ports.files, input, ({ refs: known }) => known !== null);
  const told = before?.refs ?? null;
  const [base, own] = await Promise.all([
    baseMoved(ports, input, refs, told),
    ownMoved(ports, input, refs, before),
  ]);
  return {
    resetTo: own?.rewritten === true ? own.sha : null,
    moved: [base, own].filter((branch) => branch !== null),
  };
}

async function baseMoved(
  ports: HostPorts,
  input: RunTurnInput,
  refs: TurnRefs,
  told: TurnRefs | null,
): Promise<MovedBranch | null> {
  const { baseBranch: name, baseSha: sha } = refs;
  if (told?.baseBranch !== name || told.baseSha === sha) return null;
  const rewritten = !(await ports.git.isAncestor(repositoryOf(input), told.baseSha, sha));
  return { which: 'base', name, sha, rewritten };
}

/** Against what we pushed last, or found there: whatever else stands there is somebody else's. */
async function ownMoved(
  ports: HostPorts,
  input: RunTurnInput,
  refs: TurnRefs,
  before: TurnRecord | undefined,
): Promise<MovedBranch | null> {
  const { branchSha: sha } = refs;
  if (sha === null || input.head === null) return null;
  const pushed = (await lastPushed(ports, input.slug)) ?? (await foundFirst(ports, input));
  // Where the workspace stands there itself, it has started from there.
  if (pushed === null || pushed === sha || input.head === sha) return null;
  const rewritten = !(await ports.git.isAncestor(repositoryOf(input), pushed, sha));
  // Told once; a rewritten branch is one that the workspace has to start from, so it is news until a turn has.
  const isTold = before?.refs?.branchSha === sha && (!rewritten || hasStartedFrom(sha, before));
  if (isTold) return null;
  return { which: 'own', name: input.prepared.branch, sha, rewritten };
}

/** Its commits since are the run's own work, if unpublished: they stay. */
function hasStartedFrom(sha: string, { baseSha, provider }: TurnRecord): boolean {
  return baseSha === sha && provider !== null;
}

/** What a branch that is older than the run was at when the run began; `null` of one that the run makes. */
async function foundFirst({ files }: HostPorts, input: RunTurnInput): Promise<string | null> {
  const first = await firstRecord(files, input, ({ refs }) => refs !== null);
  return first?.refs?.branchSha ?? null;
}
