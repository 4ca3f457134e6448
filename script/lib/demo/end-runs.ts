/** Ends the runs that a stopped demo left under way: as an operator would, then by force. */
import { existsSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { hostId } from '../../../src/adapters/files/host-id.js';
import { commandUpdates, ISSUE_WORKFLOW } from '../../../src/workflows/messages.js';
import { containersFirst } from '../../../test/support/stack/containers-first.js';
import type { Stack } from '../../../test/support/stack/stack.js';

const DESTROY_MS = 60_000;

type Log = (text: string) => void;

/** Asks every open run to be destroyed and waits for it, for a minute together. Never rejects: force comes after it. */
export async function endRuns(stack: Stack, log: Log): Promise<void> {
  try {
    const client = await stack.client();
    try {
      // A deadline, not a race: the client's retries throw when the connection is closed under them.
      await client.withDeadline(Date.now() + DESTROY_MS, () => destroyAll(client, log));
    } finally {
      await client.connection.close();
    }
  } catch (error) {
    log(`demo: the runs could not be ended in good order: ${String(error)}\n`);
  }
}

async function destroyAll(client: Client, log: Log): Promise<void> {
  const query = `WorkflowType = '${ISSUE_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId);
    try {
      await handle.executeUpdate(commandUpdates.destroy, { args: [{}] });
      await handle.result();
    } catch (error) {
      log(`demo: ${workflowId} could not be ended in good order: ${String(error)}\n`);
    }
  }
}

/**
 * Containers, volumes and names on images of every run of this home. Nothing may run any longer that makes new ones.
 * Never rejects.
 */
export async function removeBottles(home: string, log: Log): Promise<void> {
  // Asking for the host's id would make it again.
  if (!existsSync(home)) return;
  try {
    const runtime = dockerBottleRuntime({ host: await hostId(home) });
    for (const object of containersFirst(await runtime.list())) await runtime.removeObject(object);
    for (const slug of await runtime.pinnedRuns()) await runtime.unpinImage(slug);
  } catch (error) {
    log(`demo: what runs left in the engine could not be removed: ${String(error)}\n`);
  }
}
