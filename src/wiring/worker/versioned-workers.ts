import { WorkflowBundles } from '../../adapters/files/workflow-bundles.js';
import { buildIdOf, type WorkflowProgram } from '../../adapters/temporal/deployment.js';
import { createWorkers, type RunningWorkers, type WorkersOptions } from '../../adapters/temporal/workers.js';
import { STATE_VERSION } from '../../workflows/messages.js';
import { VERSION } from '../version.js';

export interface VersionedWorkers {
  readonly workers: RunningWorkers;
  readonly bundles: WorkflowBundles;
  readonly buildId: string;
}

/**
 * Workers of this program's workflows, and of those that an earlier program left in the home for runs that are of it still.
 * @param code of the workflows, kept in the home for the upgrade after this one
 * @param stateVersion what that code reads and leaves
 */
export async function versionedWorkers(
  home: string,
  code: string,
  options: Omit<WorkersOptions, 'program' | 'earlier'>,
  stateVersion = STATE_VERSION,
): Promise<VersionedWorkers> {
  const bundles = await WorkflowBundles.open(home);
  const buildId = buildIdOf(VERSION, code, stateVersion);
  await bundles.keep(buildId, code);
  const programOf = (id: string): WorkflowProgram => ({ buildId: id, path: bundles.pathOf(id) });
  const earlier = (await bundles.list()).filter((id) => id !== buildId).map(programOf);
  const workers = await createWorkers({ ...options, program: programOf(buildId), earlier });
  return { workers, bundles, buildId };
}
