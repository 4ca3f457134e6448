/** Ends the runs that a stopped demo left under way: as an operator would, then by force. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import Docker from 'dockerode';
import { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { isSlug } from '../../../src/domain/run/slug.js';
import { commandUpdates, ISSUE_WORKFLOW } from '../../../src/workflows/messages.js';
import type { Stack } from '../../../test/support/stack/stack.js';

const DESTROY_MS = 25_000;

type Log = (text: string) => void;

/** Asks every open run to be destroyed and waits for it, for 25 s together. Never rejects: force comes after it. */
export async function endRuns(stack: Stack, log: Log): Promise<void> {
  try {
    const client = await stack.client();
    const late = new AbortController();
    await Promise.race([
      destroyAll(client, log),
      delay(DESTROY_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    await client.connection.close();
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

/** Containers and volumes of every run that this home knows of. Nothing may run any longer that makes new ones. */
export async function removeBottles(home: string, log: Log): Promise<void> {
  try {
    const docker = new Docker();
    const slugs = (await readdir(join(home, 'state')).catch(() => [])).filter(isSlug);
    for (const slug of slugs) {
      const owned = await new DockerBottleRuntime({ docker }).list(slug);
      for (const { name } of owned.filter(({ type }) => type === 'container'))
        await docker.getContainer(name).remove({ force: true, v: true });
      for (const { name } of owned.filter(({ type }) => type === 'volume'))
        await docker.getVolume(name).remove({ force: true });
    }
  } catch (error) {
    log(`demo: containers or volumes could not be removed: ${String(error)}\n`);
  }
}
