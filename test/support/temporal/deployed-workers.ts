import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { makeCurrent } from '../../../src/adapters/temporal/deployment.js';
import type { WorkersOptions } from '../../../src/adapters/temporal/workers.js';
import { versionedWorkers } from '../../../src/wiring/worker/versioned-workers.js';
import { waitUntil } from '../stack/stack.js';
import { workflowBundle } from './time-skipping.js';

export interface DeployedWorkers {
  stop(): Promise<void>;
}

/** The product's own workers, their version the current one, in a home of their own. */
export async function deployedWorkers(
  client: Client,
  options: Omit<WorkersOptions, 'program' | 'earlier'>,
): Promise<DeployedWorkers> {
  const home = await mkdtemp(join(tmpdir(), 'bb-workers-'));
  const { code } = await workflowBundle({ encrypts: (options.target.codecKeys ?? []).length > 0 });
  const { workers, buildId } = await versionedWorkers(home, code, options);
  await untilCurrent(client, buildId);
  return {
    stop: async () => {
      workers.stop();
      await workers.stopped();
      await rm(home, { recursive: true });
    },
  };
}

/** New workflows begin with it from then on: its workers must have begun to poll. */
export function untilCurrent(client: Client, buildId: string): Promise<void> {
  return waitUntil('the version to be current', () =>
    makeCurrent(client, buildId).then(
      () => true,
      () => false,
    ),
  );
}
