import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import { BottleRuntimeError } from '../../domain/base/errors.js';
import type { ContainerRole, ContainerState } from '../../domain/bottle/bottle-runtime.js';
import { createContainer } from './create-container.js';
import { engineCall, statusOf, toRuntimeError } from './errors.js';
import { LABEL_SPEC_HASH, containerName, labelsOf, requireOurs, specHash } from './names-and-labels.js';
import { waitUntilStopped } from './wait.js';
import { weaknessesOf } from './weaknesses.js';

const STATUSES = ['created', 'running', 'exited', 'dead', 'paused', 'restarting', 'removing'] as const;
/** The engine takes a name some milliseconds before the container can be seen under it. */
const NAME_WAIT_MS = 5000;
const NAME_PAUSE_MS = 20;

/** The container of that name, `undefined` when there is none. @throws BottleRuntimeError when it isn't ours */
export async function inspectOurs(
  docker: Docker,
  name: string,
  slug: string,
  role: string,
): Promise<Docker.ContainerInspectInfo | undefined> {
  const info = await engineCall(`inspect ${name}`, () => docker.getContainer(name).inspect(), [404]);
  if (info !== undefined) requireOurs(info.Config.Labels, slug, role, name);
  return info;
}

/** As `inspectOurs`, but for callers that cannot go on without it. */
export async function requireContainer(
  docker: Docker,
  slug: string,
  role: ContainerRole,
): Promise<Docker.ContainerInspectInfo> {
  const name = containerName(slug, role);
  const info = await inspectOurs(docker, name, slug, role);
  if (info === undefined) throw new BottleRuntimeError(`there is no container ${name}`, false);
  return info;
}

/** @throws BottleRuntimeError, final, for a container that lacks some of our hardening, whoever made it */
export function requireHardened(info: Docker.ContainerInspectInfo, name: string): void {
  const weaknesses = weaknessesOf(info);
  if (weaknesses.length === 0) return;
  throw new BottleRuntimeError(
    `${name} is not started, for it is not as bottles are made: it ${weaknesses.join(', ')}. Remove it (docker rm -f ${name}); the next turn makes a new one`,
    false,
  );
}

/**
 * Creates the container, or adopts the one that has the name. A container that was started once is adopted whatever it
 * was made from: its exit and its log may still be wanted, and the caller removes it when it wants another. One that
 * never ran and was made from something else is replaced, and so is one that does not run and lacks some of our
 * hardening, such as that of an older version: it could not be started again. So is one whose directories are at other
 * places by now: the home was moved, and it would work in the old one, or not start.
 */
export async function createOrAdopt(
  docker: Docker,
  slug: string,
  role: ContainerRole,
  options: Docker.ContainerCreateOptions,
  host: string | null,
): Promise<ContainerState> {
  const name = containerName(slug, role);
  const hash = specHash(options);
  const labels = { ...labelsOf(slug, role, host), [LABEL_SPEC_HASH]: hash };
  const labelled = { ...options, name, Labels: labels };
  for (const until = Date.now() + NAME_WAIT_MS; Date.now() < until;) {
    try {
      const created = await createContainer(docker, labelled);
      return stateOf(await created.inspect());
    } catch (error) {
      if (statusOf(error) !== 409) throw toRuntimeError(error, `create ${name}`);
    }
    const existing = await inspectOurs(docker, name, slug, role);
    if (existing === undefined) {
      await pause(NAME_PAUSE_MS);
      continue;
    }
    const stale =
      (existing.State.Status === 'created' && existing.Config.Labels[LABEL_SPEC_HASH] !== hash) ||
      (!existing.State.Running &&
        (weaknessesOf(existing).length > 0 || isMountedElsewhere(existing, options)));
    const going = existing.State.Status === 'removing';
    if (!stale && !going) return stateOf(existing);
    await removeById(docker, existing.Id, name);
  }
  throw new BottleRuntimeError(
    `cannot create ${name}: its name is taken by a container that cannot be seen`,
    true,
  );
}

/** Whether what one of its targets shows is another place than the one that is asked for. */
function isMountedElsewhere(
  { HostConfig: { Mounts: there = [] } }: Docker.ContainerInspectInfo,
  { HostConfig: wanted }: Docker.ContainerCreateOptions,
): boolean {
  return (wanted?.Mounts ?? []).some(({ Target: target, Source: source }) =>
    there.some((mount) => mount.Target === target && mount.Source !== source),
  );
}

/** Removes the container of that name if it is ours, running or not, and waits until it is gone. */
export async function removeOurs(docker: Docker, name: string, slug: string, role: string): Promise<void> {
  const info = await inspectOurs(docker, name, slug, role);
  if (info !== undefined) await removeById(docker, info.Id, name);
}

/** Its anonymous volumes (an image may declare some) go with it, named ones stay. */
export async function removeById(docker: Docker, id: string, name: string): Promise<void> {
  const container = docker.getContainer(id);
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return;
    // Somebody else's removal is under way: it is done when that is.
    if (status !== 409) throw toRuntimeError(error, `remove ${name}`);
    await engineCall(
      `see ${name} removed`,
      () => waitUntilStopped(docker, id, name, { condition: 'removed' }),
      [404],
    );
  }
}

export function stateOf(info: Docker.ContainerInspectInfo): ContainerState {
  const status = STATUSES.find((known) => known === info.State.Status);
  if (status === undefined)
    throw new BottleRuntimeError(`unknown container status ${JSON.stringify(info.State.Status)}`, false);
  return {
    id: info.Id,
    imageId: info.Image,
    status,
    startedAt: info.State.StartedAt,
    finishedAt: info.State.FinishedAt,
    exitCode: info.State.ExitCode,
    oomKilled: info.State.OOMKilled,
  };
}
