/** The end of a test file: every life is destroyed the product's own way, and nothing of the stack is left. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { hostId } from '../../../src/adapters/files/host-id.js';
import { containersFirst } from './containers-first.js';
import { allGone } from './processes.js';
import { StackFiles } from './stack-files.js';
import type { Stack } from './stack.js';
import { order } from '../temporal/send.js';

const END_MS = 60_000;

/** Destroys what still lives, stops and removes the stack, then asserts that nothing is left; cleans up when it is. */
export async function tearDown(stack: Stack, client: Client | undefined): Promise<void> {
  const files = new StackFiles(stack.home);
  let problem: unknown;
  try {
    if (client !== undefined) await destroyAll(files, client);
  } catch (error) {
    problem = error;
  }
  const slugs = new Set(await files.slugs());
  const runtime = dockerBottleRuntime();
  const left = (await runtime.list()).filter((object) => slugs.has(object.slug));
  const host = dockerBottleRuntime({ host: await hostId(stack.home) });
  const pinned = await host.pinnedRuns();
  await client?.connection.close();
  await stack.remove();
  for (const object of containersFirst(left)) await runtime.removeObject(object);
  for (const slug of pinned) await host.unpinImage(slug);
  if (problem !== undefined)
    throw problem instanceof Error ? problem : new Error('a life could not be ended');
  const names = left.map((object) => `${object.type} ${object.name}`);
  assert.deepEqual(names, [], 'containers or volumes are left');
  assert.deepEqual(pinned, [], 'names of runs on images are left');
  await allGone(stack.home);
  assert.deepEqual([stack.home, stack.gitea.process.dir].filter(existsSync), [], 'a directory is left');
}

async function destroyAll(files: StackFiles, client: Client): Promise<void> {
  const alive = (await files.stateRows()).filter((row) => row.status !== 'destroyed');
  await Promise.all(
    alive.map(async (row) => {
      const handle = client.workflow.getHandle(row.workflowId);
      await client.withDeadline(Date.now() + END_MS, async () => {
        await order(handle, { kind: 'destroy' });
        await handle.result();
      });
    }),
  );
}
