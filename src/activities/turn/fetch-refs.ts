import type { BottleSetup } from '../../domain/bottle-setup.js';
import type { TurnRefs } from '../../domain/git-repository.js';
import type { MovedBranch } from '../../domain/prompt-input.js';
import type { RunPaths } from '../../domain/run-files.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';
import { changesOnForge } from './changes-on-forge.js';
import { runBoundary } from './run-boundary.js';

export interface FetchedRefs extends TurnRefs {
  /** The branch was rewritten on the forge: the workspace starts again from there. */
  readonly resetTo: string | null;
  readonly moved: readonly MovedBranch[];
  /** Commits where the workspace's history ends; empty for all of it. */
  readonly boundary: readonly string[];
}

/** Base and own branch as they are on the forge, for the workspace and for the prompt. */
export async function fetchRefs(
  ports: HostPorts,
  input: RunTurnInput,
  setup: BottleSetup,
  paths: RunPaths,
): Promise<FetchedRefs> {
  const { subject } = input;
  const { branch } = input.prepared;
  // Made before the agent works: where it can't be, the work would be for nothing.
  const fork = await ports.forks?.ensure(subject);
  const refs = await ports.git.refresh(subject, branch, input.prepared.baseBranches, fork);
  const boundary = await runBoundary(ports, input, setup, refs);
  const [changes] = await Promise.all([
    changesOnForge(ports, input, refs),
    ports.git.writeRefsBundle(subject, refs, branch, `${paths.turnInput}/refs.bundle`, boundary),
  ]);
  return { ...refs, ...changes, boundary };
}
