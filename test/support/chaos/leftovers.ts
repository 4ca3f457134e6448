/** What a whole stack left behind, and its removal by force. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { LABEL_MANAGED } from '../../../src/adapters/docker/names-and-labels.js';
import { containersFirst } from '../stack/containers-first.js';
import { orphansOf } from '../stack/orphans.js';
import type { Stack } from '../stack/stack.js';
import { processesOf } from '../stack/processes.js';

const GONE_MS = 20_000;

/** While the parts still run: everything of this host, what its own sweeper would find, and marks of killed workers. */
export async function leftOnHost(stack: Stack, runtime: DockerBottleRuntime): Promise<string[]> {
  const objects = (await runtime.list()).map(({ type, name }) => `${type} ${name}`);
  const pinned = (await runtime.pinnedRuns()).map((slug) => `an image's name for ${slug}`);
  const networks = await new Docker().listNetworks({ filters: { label: [LABEL_MANAGED] } });
  return [
    ...objects,
    ...pinned,
    ...networks.map(({ Name }) => `network ${Name}`),
    ...(await orphansOf(stack)),
    ...(await readdir(join(stack.home, 'under-way'))).map((mark) => `under-way/${mark}`),
  ];
}

/** After the parts were stopped: containers, volumes, forge and home go, whatever became of the lives. */
export async function removeAll(
  stack: Pick<Stack, 'home' | 'remove'> & { readonly gitea: { readonly process: { readonly dir: string } } },
  runtime: Pick<DockerBottleRuntime, 'list' | 'removeObject' | 'pinnedRuns' | 'unpinImage'>,
): Promise<string[]> {
  const left = await untilNone(async () =>
    (await processesOf(stack.home)).map(
      ({ pid, argv }) => `process ${String(pid)}: ${argv.slice(0, 4).join(' ')}`,
    ),
  );
  // One that was being made when its worker was killed may come late.
  await untilNone(async () => {
    const objects = await runtime.list();
    for (const object of containersFirst(objects)) await runtime.removeObject(object).catch(() => undefined);
    return objects;
  });
  for (const slug of await runtime.pinnedRuns()) await runtime.unpinImage(slug);
  await stack.remove();
  return [...left, ...[stack.home, stack.gitea.process.dir].filter(existsSync)];
}

async function untilNone<T>(look: () => Promise<T[]>): Promise<T[]> {
  const deadline = Date.now() + GONE_MS;
  for (;;) {
    const found = await look();
    if (found.length === 0 || Date.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
