import type { BottleSetup } from '../../domain/bottle/bottle-setup.js';
import type { TurnRefs } from '../../domain/workspace/git-repository.js';
import { readText } from '../base/run-text.js';
import type { HostPorts } from '../ports/host-ports.js';
import { repositoryOf, type RunTurnInput } from '../ports/inputs.js';

/** In the run's directory: commits where the workspace's history ends, one a line. */
const BOUNDARY_FILE = 'shallow';

/**
 * Where the workspace's history ends. Found at the first turn and kept: were it to move with the branches, a later turn
 * could lack the commit that its branch and the base have in common.
 * @param isNew the workspace was not there: a first turn that had to wait may have any number
 */
export async function runBoundary(
  ports: HostPorts,
  input: RunTurnInput,
  { workspace: { depth } }: BottleSetup,
  refs: TurnRefs,
  isNew: boolean,
): Promise<readonly string[]> {
  const { slug, turn } = input;
  const file = await readText(ports.files, slug, BOUNDARY_FILE);
  if (file !== undefined) return file.split('\n').slice(0, -1);
  // A workspace that began with everything stays so, whatever its manifest says later.
  if (depth === null || (turn > 1 && !isNew)) return [];
  const boundary = await ports.git.boundary(repositoryOf(input), refs, depth);
  await ports.files.saveFile(slug, BOUNDARY_FILE, boundary.map((id) => `${id}\n`).join(''));
  return boundary;
}

/** The same as the agent was given it, which a container may read; `null` for a whole history. */
export async function boundaryFile(ports: HostPorts, slug: string): Promise<string | null> {
  const file = await ports.files.readFile(slug, BOUNDARY_FILE);
  return file === undefined || file.length === 0 ? null : `${ports.files.paths(slug).turnInput}/shallow`;
}
