import { WorkflowBundles } from '../../adapters/files/workflow-bundles.js';
import { buildIdOf } from '../../adapters/temporal/deployment.js';
import {
  createWorkers,
  SDK_VERSION,
  type RunningWorkers,
  type WorkersOptions,
} from '../../adapters/temporal/workers.js';
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
  await bundles.keep(buildId, code, SDK_VERSION);
  const kept = (await bundles.list()).filter((id) => id !== buildId);
  const earlier = await Promise.all(
    kept.map(async (id) => ({ buildId: id, path: bundles.pathOf(id), sdk: await bundles.sdkOf(id) })),
  );
  const program = { buildId, path: bundles.pathOf(buildId) };
  const workers = await createWorkers({ ...options, program, earlier });
  return { workers, bundles, buildId };
}
