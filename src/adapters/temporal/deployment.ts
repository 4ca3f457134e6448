/** Temporal's worker deployment of this program: which version of the workflows has which run. See ADR 0038. */
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import proto from '@temporalio/proto';
import { BotBottleError } from '../../domain/base/errors.js';
import { ISSUE_WORKFLOW, STATE_VERSION } from '../../workflows/messages.js';
import { sha256 } from '../system/sha256.js';
import { isNotFound } from './grpc-status.js';

const { WorkerDeploymentVersionStatus: Status } = proto.temporal.api.enums.v1;

export const DEPLOYMENT = 'bot-bottle';

const VERSION_ATTRIBUTE = 'TemporalWorkerDeploymentVersion';
const VERSION = defineSearchAttributeKey(VERSION_ATTRIBUTE, 'KEYWORD');
/** Those that `temporal workflow pause` has paused are open, too, and have a status of their own. */
export const IS_OPEN = 'CloseTime IS NULL';

/** A version of the workflows: the bundle at `path`, by the name it has at Temporal. */
export interface WorkflowProgram {
  readonly buildId: string;
  readonly path: string;
}

/** `<version>-s<state version>-<hash of the code>`: other code is another version, whatever it is called. */
export function buildIdOf(version: string, code: string, stateVersion: number = STATE_VERSION): string {
  const hash = sha256(code).slice(0, 12);
  return `${version}-s${String(stateVersion)}-${hash}`;
}

function stateVersionOf(buildId: string): number {
  return Number(/-s(\d+)-[0-9a-f]+$/.exec(buildId)?.[1] ?? 0);
}

/** New workflows begin with this version from now on, and others may go over to it. Errors: gRPC's, until its worker polls. */
export async function makeCurrent(client: Client, buildId: string): Promise<void> {
  const { namespace, identity } = client.options;
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace,
    deploymentName: DEPLOYMENT,
    buildId,
    identity,
    // Its queues are those of the version before; one that is gone is gone on purpose.
    ignoreMissingTaskQueues: true,
  });
}

/**
 * The versions that open workflows are of, but for `own`.
 * @throws BotBottleError `later_version` when one has state that `own` cannot read
 */
export async function versionsInUse(client: Client, own: string): Promise<readonly string[]> {
  const found = new Map<string, string>();
  const query = `${IS_OPEN} AND ${VERSION_ATTRIBUTE} != '${nameOf(own)}'`;
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query })) {
    const name = typedSearchAttributes.get(VERSION);
    if (name?.startsWith(nameOf('')) !== true) continue;
    const buildId = name.slice(nameOf('').length);
    if (stateVersionOf(buildId) > stateVersionOf(own)) throw isLater(workflowId, buildId);
    found.set(buildId, workflowId);
  }
  return [...found.keys()];
}

function isLater(workflowId: string, buildId: string): BotBottleError {
  return new BotBottleError(
    'later_version',
    `${workflowId} was taken over by a later version of bot-bottle (${buildId}), whose state this one cannot read: ` +
      'start that version or a later one. To go back all the same, end those runs with it first, or restore a backup',
    false,
  );
}

/**
 * The server's own word on a version: `used` by open workflows, as far as it knows, or `drained`, some minutes after the last
 * of them. `unknown` are one that it does not have, and one that was never the current one. Errors: gRPC's.
 */
export async function drainageOf(client: Client, buildId: string): Promise<'used' | 'drained' | 'unknown'> {
  try {
    const { workerDeploymentVersionInfo: info } =
      await client.workflowService.describeWorkerDeploymentVersion({
        namespace: client.options.namespace,
        deploymentVersion: { deploymentName: DEPLOYMENT, buildId },
      });
    if (info?.status === Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED) return 'drained';
    return USED.includes(info?.status) ? 'used' : 'unknown';
  } catch (error) {
    if (isNotFound(error)) return 'unknown';
    throw error;
  }
}

const USED: readonly unknown[] = [
  Status.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT,
  Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING,
];

export interface OpenWorkflow {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
}

/** Open workflows of a version, of all kinds. */
export async function openOf(client: Client, buildId: string): Promise<readonly OpenWorkflow[]> {
  const found: OpenWorkflow[] = [];
  const query = `${IS_OPEN} AND ${VERSION_ATTRIBUTE} = '${nameOf(buildId)}'`;
  for await (const { workflowId, runId, type } of client.workflow.list({ query }))
    found.push({ workflowId, runId, type });
  return found;
}

/** Its next task goes to that version, which it is of from then on. Errors: gRPC's, also of a server that cannot do this. */
export async function moveTo(
  client: Client,
  { workflowId, runId }: OpenWorkflow,
  buildId: string,
): Promise<void> {
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowExecutionOptions: {
      versioningOverride: {
        oneTime: { targetDeploymentVersion: { deploymentName: DEPLOYMENT, buildId } },
      },
    },
    updateMask: { paths: ['versioning_override'] },
  });
}

/** Ids of runs that are open, and of those of one version that are between turns and can go over: a paused one can't yet. */
export const openRuns = (client: Client): Promise<readonly string[]> => idsOf(client, '');
export const restingRuns = (client: Client, buildId: string): Promise<readonly string[]> =>
  idsOf(
    client,
    ` AND ExecutionStatus = 'Running' AND ${VERSION_ATTRIBUTE} = '${nameOf(buildId)}' AND BottlePhase = 'frozen'`,
  );

async function idsOf(client: Client, more: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const query = `WorkflowType = '${ISSUE_WORKFLOW}' AND ${IS_OPEN}${more}`;
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** As the search attribute has it. */
function nameOf(buildId: string): string {
  return `${DEPLOYMENT}:${buildId}`;
}
