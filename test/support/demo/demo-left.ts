import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import type { Demo } from './demo-process.js';

const runtime = dockerBottleRuntime();

export async function status(url: string): Promise<number | 'no answer'> {
  return fetch(url).then(
    (response) => response.status,
    () => 'no answer' as const,
  );
}

/** Not what the demo says of itself, but what there is. */
export async function assertNothingIsLeft(demo: Demo, slug: string | null): Promise<void> {
  assert.deepEqual(demo.livingProcesses(), []);
  // The home, Gitea's directory, and that of the logs.
  assert.equal(demo.directories().length, 3, demo.directories().join());
  assert.deepEqual(demo.directories().filter(existsSync), []);
  if (slug !== null) assert.deepEqual(await runtime.list(slug), []);
}
