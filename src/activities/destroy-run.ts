import type { HostPorts } from './ports/host-ports.js';
import { stepOfRun } from './base/work-of-run.js';
import { atMostThrice } from './base/tries.js';
import { bundleOfEnd, bundleOfMove, keepUnpublished, type EndedRun } from './left/keep-unpublished.js';
import { orSkip } from './left/or-skip.js';
import { removeLeft } from './left/remove-left.js';

/**
 * Containers, volumes and workspace go; transcript, turns and the commits nobody has stay. Missing means done. Resolves
 * with what could not be removed, for the sweeper to try again.
 */
export async function destroyRun(
  ports: HostPorts,
  run: EndedRun,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly string[]> {
  const { runtime, files, queue } = ports;
  const { slug } = run;
  const ours = run.elsewhere === true ? await rolesHere(runtime, slug) : EVERY_ROLE;
  await atMostThrice(
    () =>
      Promise.all([
        ours.has('agent') ? runtime.stop(slug, 'agent', 0) : undefined,
        ours.has('bundle') ? runtime.stop(slug, 'bundle', 1) : undefined,
      ]),
    signal,
  );
  const { workspace, queueOut } = await files.prepare(slug);
  // An agent or its sidecar made what these work on: what cannot be kept of it is left, and the run ends all the same.
  const file = run.elsewhere === true ? await bundleOfMove(files, slug) : bundleOfEnd(slug);
  await orSkip(ports, stepOfRun(slug, 'keep-commits'), signal, () =>
    keepUnpublished(ports, run, file, signal),
  );
  await orSkip(ports, stepOfRun(slug, 'keep-queue'), signal, () => queue.archive(slug));
  const trees = [queueOut, workspace];
  return removeLeft(ports, { slug, roles: ours, trees, elsewhere: run.elsewhere === true }, signal);
}

/** Of a run whose workspace lies elsewhere and stays: containers, volumes and all that the host wrote for them go. */
export async function clearAway(ports: HostPorts, slug: string, signal: AbortSignal): Promise<void> {
  const { runtime, files } = ports;
  await Promise.all([runtime.stop(slug, 'agent', 0), runtime.stop(slug, 'bundle', 1)]);
  const { queueOut } = await files.prepare(slug);
  await removeLeft(ports, { slug, roles: EVERY_ROLE, trees: [queueOut], elsewhere: false }, signal);
}

const EVERY_ROLE: ReadonlySet<string> = new Set(['agent', 'bundle']);

async function rolesHere(runtime: HostPorts['runtime'], slug: string): Promise<ReadonlySet<string>> {
  const containers = (await runtime.list(slug)).filter(({ type }) => type === 'container');
  return new Set(containers.map(({ role }) => role));
}
