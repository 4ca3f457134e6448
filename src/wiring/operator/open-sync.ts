/** The commands' way to syncs: the user's clone and `opencode.env` here, the rest at Temporal. */
import path from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { agentProvider } from '../../adapters/agents/registry.js';
import { remoteAddress } from '../../adapters/git/clone-remotes.js';
import {
  listSyncSchedules,
  removeSyncSchedule,
  setSyncSchedule,
} from '../../adapters/temporal/sync-schedules.js';
import type { SyncDesk } from '../../cli/base/sync-desk.js';
import { patiently } from '../../cli/runs/patiently.js';
import { syncOutcome } from '../../cli/runs/sync-outcome.js';
import { opencodeEnvFile, readOpencodeEnv } from '../../config/forklift.js';
import type { Config } from '../../config/load-config.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import { forkOf, upstreamAddress } from '../../domain/sync/remotes.js';
import { syncWorkflowId } from '../../domain/sync/sync.js';
import { SYNC_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';
import { forgeOfConfig } from '../forge-of-config.js';
import { temporalClient } from '../temporal-client.js';
import { operatorName } from './operator-name.js';

const CALL_MS = 10_000;

/** Connects on first use; the caller closes it. Errors: `InvalidInputError` for a configuration without a forge. */
export function openSync(config: Config, env: Readonly<Record<string, string | undefined>>): SyncDesk {
  const { kind: forge, webUrl } = forgeOfConfig(config);
  const client = temporalClient(config);
  const forkIn = async (dir: string): Promise<RepoRef> => ({
    forge,
    ...forkOf(await remoteAddress(path.resolve(dir), 'origin'), webUrl),
  });
  return {
    forkIn,

    async order({ dir, manifest, model, variant, agent, timeoutMs }) {
      const fork = await forkIn(dir);
      const upstream = upstreamAddress(await remoteAddress(path.resolve(dir), 'upstream'));
      const opencode = { envFile: opencodeEnvFile(env), model, variant, agent };
      const order = { fork, upstream, manifest, opencode, timeoutMs, by: operatorName() };
      if (manifest !== null) return { order, ignored: [] };
      const { values, ignored } = readOpencodeEnv(opencode);
      // Says which models there are.
      agentProvider('opencode').access(values.OPENCODE_MODEL);
      return { order, ignored };
    },

    async start(order) {
      const workflowId = syncWorkflowId(order.fork);
      const { owner, repo } = order.fork;
      try {
        await client.withDeadline(Date.now() + CALL_MS, () =>
          client.workflow.start(SYNC_WORKFLOW, {
            workflowId,
            taskQueue: TASK_QUEUE,
            args: [order],
            staticSummary: `Merge upstream into ${owner}/${repo}, by ${order.by}`,
          }),
        );
        return { kind: 'started', workflowId };
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        return {
          kind: 'refused',
          reason: `a sync of ${owner}/${repo} is under way: workflow ${workflowId} in Temporal`,
        };
      }
    },

    outcome: (workflowId) => patiently(() => syncOutcome(client.workflow.getHandle(workflowId).result())),
    schedule: (order, everyMs) => setSyncSchedule(client, order, everyMs),
    schedules: () => listSyncSchedules(client),
    unschedule: (fork) => removeSyncSchedule(client, fork),
    close: () => client.connection.close(),
  };
}
