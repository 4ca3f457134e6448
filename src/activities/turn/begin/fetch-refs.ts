import type { BottleSetup } from '../../../domain/bottle/bottle-setup.js';
import type { TurnRefs } from '../../../domain/workspace/git-repository.js';
import { NO_SUBMODULES, type TurnSubmodules } from '../../../domain/workspace/submodules.js';
import type { MovedBranch } from '../../../domain/prompt/prompt-input.js';
import type { RunPaths } from '../../../domain/run/run-files.js';
import type { HostPorts } from '../../ports/host-ports.js';
import { isLocal } from '../../../domain/forge/issue.js';
import { repositoryOf, type RunTurnInput } from '../../ports/inputs.js';
import { stuckIn } from '../../publish/publish-stuck.js';
import { changesOnForge } from '../../setup/changes-on-forge.js';
import { runBoundary } from '../../setup/run-boundary.js';

export interface FetchedRefs extends TurnRefs {
  /** The branch was rewritten on the forge: the workspace starts again from there. */
  readonly resetTo: string | null;
  readonly moved: readonly MovedBranch[];
  /** Commits where the workspace's history ends; empty for all of it. */
  readonly boundary: readonly string[];
  readonly submodules: TurnSubmodules;
  readonly knownStuck: readonly string[];
}

/** Base and own branch as they are on the forge, for the workspace and for the prompt. */
export async function fetchRefs(
  ports: HostPorts,
  input: RunTurnInput,
  setup: BottleSetup,
  paths: RunPaths & { readonly isNew: boolean },
  signal: AbortSignal,
): Promise<FetchedRefs> {
  const repository = repositoryOf(input);
  const { branch } = input.prepared;
  // Made before the agent works: where it can't be, the work would be for nothing.
  const fork = isLocal(input.subject) ? undefined : await ports.forks?.ensure(repository);
  const refs = await ports.git.refresh(repository, branch, input.prepared.baseBranches, fork, signal);
  const boundary = await runBoundary(ports, input, setup, refs, paths.isNew);
  const { submoduleRepos: named, sparse } = setup.workspace;
  // They are fetched from a forge.
  const wanted = setup.workspace.submodules && repository.path === undefined;
  const [changes, , submodules, knownStuck] = await Promise.all([
    changesOnForge(ports, input, refs),
    ports.git.writeRefsBundle(repository, refs, branch, `${paths.turnInput}/refs.bundle`, boundary),
    wanted ? ports.git.writeSubmodules(repository, refs, paths.turnInput, { named, sparse }) : NO_SUBMODULES,
    stuckIn(ports.git, repository, refs),
  ]);
  return { ...refs, ...changes, boundary, submodules, knownStuck };
}
