import type { OwnedObject } from '../../domain/bottle/bottle-runtime.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import type { RunMetadata } from '../../domain/run/run-metadata.js';
import { readMetadata } from '../base/run-text.js';
import { isSlug } from '../../domain/run/slug.js';
import type { RunLeftover } from '../../domain/run/run-files.js';
import type { ExpectedRun, FoundContainer, FoundRun } from '../../domain/upkeep/sweep.js';
import type { HostPorts } from '../ports/host-ports.js';
import { keptSnapshots } from '../transcript/kept-snapshots.js';

const AT_ONCE = 8;

/** Around the look at one run; `undefined`: it is not looked at. */
export type AroundLook = (slug: string, look: () => Promise<FoundRun>) => Promise<FoundRun | undefined>;

/** Everything on this host that belongs to a run, with whose it is; and the runs that should be here. By slug. */
export async function findRuns(
  { runtime, files }: Pick<HostPorts, 'runtime' | 'files'>,
  expected: readonly ExpectedRun[],
  around: AroundLook = (_slug, look) => look(),
): Promise<FoundRun[]> {
  const [objects, leftovers, pinned] = await Promise.all([
    runtime.list(),
    files.leftovers(),
    runtime.pinnedRuns(),
  ]);
  const withImage = new Set(pinned);
  const rows = new Map(expected.map((run) => [run.slug, run]));
  const directories = new Map(leftovers.map((one) => [one.slug, one]));
  const bySlug = new Map<string, OwnedObject[]>();
  for (const slug of [...rows.keys(), ...directories.keys(), ...pinned]) bySlug.set(slug, []);
  // What has our labels and no run's name was made by somebody else.
  for (const object of objects.filter((one) => isSlug(one.slug)))
    bySlug.set(object.slug, [...(bySlug.get(object.slug) ?? []), object]);
  const slugs = [...bySlug.keys()].sort();
  const look = async (slug: string): Promise<FoundRun> => {
    const known = await readMetadata(files, slug);
    return foundRun({ runtime, files }, slug, {
      objects: bySlug.get(slug) ?? [],
      directory: directories.get(slug),
      known: known ?? rows.get(slug),
      expected: rows.has(slug),
      pinned: withImage.has(slug),
    });
  };
  const runs = await mapLimited(slugs, AT_ONCE, (slug) => around(slug, () => look(slug)));
  return runs.filter((one) => one !== undefined);
}

interface Parts {
  readonly objects: readonly OwnedObject[];
  readonly directory: RunLeftover | undefined;
  readonly known: Pick<RunMetadata, 'workflowId' | 'subject' | 'branch'> | undefined;
  readonly expected: boolean;
  readonly pinned: boolean;
}

async function foundRun(
  { runtime, files }: Pick<HostPorts, 'runtime' | 'files'>,
  slug: string,
  { objects, directory, known, expected, pinned }: Parts,
): Promise<FoundRun> {
  const containers = await Promise.all(
    objects.filter(({ type }) => type === 'container').map((object) => foundContainer(runtime, object)),
  );
  return {
    slug,
    workflowId: known?.workflowId ?? null,
    subject: known?.subject ?? null,
    branch: known?.branch ?? null,
    containers: containers.filter((one) => one !== undefined),
    volumes: objects
      .filter(({ type }) => type === 'volume')
      .map(({ name, role, createdAt }) => ({ name, role, createdAt: Date.parse(createdAt) })),
    directory: directory === undefined ? null : { changedAt: directory.changedAt },
    secretsAt: directory?.secretsAt ?? null,
    // Only of interest where nothing else is left.
    hasTranscript: objects.length > 0 || (await keptSnapshots(files, slug)).length > 0,
    pinned,
    expected,
  };
}

/** `undefined` when it went since it was listed. */
async function foundContainer(
  runtime: HostPorts['runtime'],
  { name, slug, role, running, createdAt }: OwnedObject,
): Promise<FoundContainer | undefined> {
  const created = Date.parse(createdAt);
  const listed = { name, role, running, createdAt: created };
  if (role !== 'agent' && role !== 'bundle') return { ...listed, startedAt: createdAt, idleSince: created };
  const state = await runtime.inspect(slug, role);
  if (state === undefined) return undefined;
  // The engine gives the year 1 for what never was.
  const idleSince = Math.max(created, Date.parse(state.finishedAt) || 0);
  return { ...listed, running: state.status === 'running', startedAt: state.startedAt, idleSince };
}
