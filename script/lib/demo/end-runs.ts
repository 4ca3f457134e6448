/** Ends the runs that a stopped demo left under way: as an operator would, then by force. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { listOwned } from '../../../src/adapters/docker/inventory.js';
import { isSlug } from '../../../src/domain/slug.js';
import { commandUpdate, ISSUE_WORKFLOW } from '../../../src/workflows/messages.js';
import type { Stack } from '../../../test/support/stack/stack.js';

const DESTROY_MS = 25_000;

/** Asks every open run to be destroyed and waits for it, for 25 s together. Never rejects: force comes after it. */
export async function endRuns(stack: Stack, log: (text: string) => void): Promise<void> {
  try {
    const client = await stack.client();
    try {
      await client.withDeadline(Date.now() + DESTROY_MS, async () => {
        const query = `WorkflowType = '${ISSUE_WORKFLOW}' AND ExecutionStatus = 'Running'`;
        for await (const { workflowId } of client.workflow.list({ query })) {
          const handle = client.workflow.getHandle(workflowId);
          await handle.executeUpdate(commandUpdate, { args: [{ kind: 'destroy' }] });
          await handle.result();
        }
      });
    } finally {
      await client.connection.close();
    }
  } catch (error) {
    log(`demo: not every run could be ended in good order: ${String(error)}\n`);
  }
}

/** Containers and volumes of every run that this home knows of. Nothing may be left that could make new ones. */
export async function removeBottles(home: string, log: (text: string) => void): Promise<void> {
  try {
    const docker = new Docker();
    const slugs = (await readdir(join(home, 'state')).catch(() => [])).filter(isSlug);
    for (const slug of slugs) {
      const owned = await listOwned(docker, slug);
      for (const { name } of owned.filter(({ type }) => type === 'container'))
        await docker.getContainer(name).remove({ force: true, v: true });
      for (const { name } of owned.filter(({ type }) => type === 'volume'))
        await docker.getVolume(name).remove({ force: true });
    }
  } catch (error) {
    log(`demo: containers or volumes could not be removed: ${String(error)}\n`);
  }
}
