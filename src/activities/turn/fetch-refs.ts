import type { TurnRefs } from '../../domain/git-repository.js';
import type { MovedBranch } from '../../domain/prompt-input.js';
import type { RunPaths } from '../../domain/run-files.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';
import { changesOnForge } from './changes-on-forge.js';

export interface FetchedRefs extends TurnRefs {
  /** The branch was rewritten on the forge: the workspace starts again from there. */
  readonly resetTo: string | null;
  readonly moved: readonly MovedBranch[];
}

/** Base and own branch as they are on the forge, for the workspace and for the prompt. */
export async function fetchRefs(
  ports: HostPorts,
  input: RunTurnInput,
  paths: RunPaths,
): Promise<FetchedRefs> {
  const { subject } = input;
  const { branch } = input.prepared;
  const refs = await ports.git.refresh(subject, branch, input.prepared.baseBranches);
  const [changes] = await Promise.all([
    changesOnForge(ports, input, refs),
    ports.git.writeRefsBundle(subject, refs, branch, `${paths.turnInput}/refs.bundle`),
  ]);
  return { ...refs, ...changes };
}
