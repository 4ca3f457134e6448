import { messageOf } from '../../domain/base/message-of.js';
import type { SweepAction, SweepEntry, SweepStore } from '../../domain/upkeep/sweep.js';
import { SetAsideError } from '../../domain/run/under-way.js';
import { removalOf } from '../../domain/upkeep/sweep-decisions.js';
import { destroyRun } from '../destroy-run.js';
import type { HostPorts } from '../ports/host-ports.js';
import { stepOfRun } from '../base/work-of-run.js';
import type { DecidePorts } from './decide-for-host.js';
import { lookUpRuns } from './look-up-runs.js';

export interface SweepPorts extends HostPorts, Pick<DecidePorts, 'runStates' | 'archiveAfterMs'> {
  readonly sweeps: SweepStore;
  /** A turn of the run is watched in this process. */
  readonly isWatched: (slug: string) => boolean;
}

/** Does one thing, unless what it is about has changed meanwhile. Never throws: the next sweep finds what is left. */
export async function carryOut(
  ports: SweepPorts,
  action: SweepAction,
  signal: AbortSignal,
): Promise<SweepEntry> {
  const slug = action.kind === 'remove' ? action.run.slug : action.slug;
  try {
    const detail = await act(ports, action, signal);
    const outcome = action.kind === 'report_lost' ? 'reported' : 'done';
    ports.log.warn({ slug, what: action.kind, detail }, 'swept');
    return { slug, what: action.kind, outcome, detail };
  } catch (error) {
    ports.log.warn({ slug, what: action.kind, err: error }, 'could not be swept');
    const detail = messageOf(error).slice(0, 300);
    return { slug, what: action.kind, outcome: 'failed', detail };
  }
}

async function act(ports: SweepPorts, action: SweepAction, signal: AbortSignal): Promise<string> {
  const { runtime, files } = ports;
  switch (action.kind) {
    case 'remove':
      return removeRun(ports, action, signal);
    case 'unpin': {
      const { slug } = action;
      const [objects, leftovers] = await Promise.all([runtime.list(slug), files.leftovers()]);
      const isBack = objects.length > 0 || leftovers.some((one) => one.slug === slug);
      if (isBack || ports.isWatched(slug)) return 'not any more';
      await runtime.unpinImage(slug);
      return 'its image is no longer kept';
    }
    case 'remove_container': {
      const { slug, name, createdAt } = action;
      // Its name is its purpose's: another one may have it by now, and work.
      const now = (await runtime.list(slug)).find((one) => one.type === 'container' && one.name === name);
      if (now === undefined || now.running || Date.parse(now.createdAt) !== createdAt) return 'not any more';
      await runtime.removeObject({ type: 'container', name, slug, role: 'once' });
      return name;
    }
    case 'stop': {
      const { slug, role, startedAt } = action;
      const now = await runtime.inspect(slug, role);
      if (now?.status !== 'running' || now.startedAt !== startedAt || ports.isWatched(slug))
        return 'not any more';
      await runtime.stop(slug, role, 5);
      return `the ${role} ran though the run is frozen`;
    }
    case 'drop_secrets': {
      const { slug, placedAt } = action;
      const now = (await files.leftovers()).find((one) => one.slug === slug);
      if (now?.secretsAt !== placedAt || ports.isWatched(slug)) return 'not any more';
      await files.dropSecrets(slug);
      return 'token and secrets of a turn that is over';
    }
    case 'archive': {
      const work = stepOfRun(action.slug, 'archive');
      if ((await ports.underWay.whySetAside(work)) !== null) throw new SetAsideError(work);
      await ports.channel.tell(action.workflowId, { kind: 'archive', slug: action.slug });
      return 'its workflow was asked to put the containers away';
    }
    case 'report_lost':
      return 'no container, no volume and no transcript is left: its next turn begins without its session';
  }
}

/**
 * The actions before this one may have taken minutes. A slug has one life, but a run that lives elsewhere may have come
 * back, worked and frozen since: its workflow is asked again, and what is not the same as before waits for the next sweep.
 */
async function removeRun(
  ports: SweepPorts,
  { run, why, elsewhere }: Extract<SweepAction, { kind: 'remove' }>,
  signal: AbortSignal,
): Promise<string> {
  const { slug, containers, volumes, directory } = run;
  const [looked] = (await lookUpRuns(ports.runStates, [run])).runs;
  const removal = looked === undefined ? null : removalOf(looked, ports.host);
  if (removal?.elsewhere !== elsewhere || ports.isWatched(slug)) return 'not any more';
  for (const { name, role } of containers)
    if (role === 'once') await ports.runtime.removeObject({ type: 'container', name, slug, role });
  const stays = await destroyRun(ports, { ...run, elsewhere }, signal);
  if (stays.length > 0) throw new Error(`${stays.join(', ')} could not be removed`);
  const things = [
    ...containers.map(({ name }) => name),
    ...volumes.map(({ name }) => name),
    ...(directory === null ? [] : ['directories']),
  ];
  return `${why}: ${things.join(', ')}`;
}
