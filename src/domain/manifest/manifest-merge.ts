import { repeatedInRoutes } from '../egress/route-checks.js';
import type { BottleLayer } from './manifest-bottle.js';
import { lineOfKey, type ManifestDocument } from './manifest-document.js';
import { ManifestError } from './manifest-reader.js';
import { ROUTE_KEYS } from './manifest-routes.js';
import { placesOfRoute } from './manifest-view.js';
import type { BottleManifest } from './manifests.js';

const DEFAULT_LIMITS = { memoryBytes: 2048 * 1024 * 1024, cpus: 2, pids: 512 };

/**
 * Left to right: lists joined, scalars (and each variable of `env`) from the last that says something. Of routes with
 * one name the last counts; image and Dockerfile are one choice.
 */
export function mergeBottleLayers(layers: readonly BottleLayer[]): BottleManifest {
  const last = <T>(pick: (layer: BottleLayer) => T | undefined): T | undefined =>
    layers.map(pick).findLast((value) => value !== undefined);
  const joined = <T>(pick: (layer: BottleLayer) => readonly T[]): T[] => [...new Set(layers.flatMap(pick))];
  const base = layers.findLast((layer) => layer.image !== undefined || layer.dockerfile !== undefined);
  return {
    image: base?.image ?? null,
    dockerfile: base?.dockerfileText ?? null,
    env: Object.fromEntries(layers.flatMap((layer) => Object.entries(layer.env))),
    limits: {
      memoryBytes: last(({ resources }) => resources?.memoryBytes) ?? DEFAULT_LIMITS.memoryBytes,
      cpus: last(({ resources }) => resources?.cpus) ?? DEFAULT_LIMITS.cpus,
      pids: last(({ resources }) => resources?.pids) ?? DEFAULT_LIMITS.pids,
    },
    disk: {
      bytes: last(({ resources }) => resources?.diskBytes) ?? null,
      inodes: last(({ resources }) => resources?.files) ?? null,
    },
    publish: {
      allowPaths: joined(({ publish }) => publish?.allowPaths ?? []),
      drafts: last(({ publish }) => publish?.drafts) ?? false,
      base: last(({ publish }) => publish?.base) ?? null,
    },
    allow: joined((layer) => layer.allow),
    routes: [...new Map(layers.flatMap(({ routes }) => routes.map((route) => [route.name, route]))).values()],
    registries: joined((layer) => layer.registries),
    setup: last((layer) => layer.setup) ?? null,
    workspace: {
      depth: last((layer) => layer.workspace.depth) ?? null,
      sparse: joined((layer) => layer.workspace.sparse ?? []),
      submodules: last((layer) => layer.workspace.submodules) ?? false,
      submoduleRepos: joined((layer) => layer.workspace.submoduleRepos ?? []),
      lfs: last((layer) => layer.workspace.lfs) ?? false,
    },
    runtime: last((layer) => layer.runtime) ?? null,
    forgeWake: last((layer) => layer.forgeWake) ?? null,
    checksWake: last((layer) => layer.checksWake) ?? true,
    forgeRead: last((layer) => layer.forgeRead) ?? 'all',
  };
}

/**
 * What no manifest shows by itself: routes of merged bottles must not take the same variable.
 * Errors: `ManifestError` at the last of the routes.
 */
export function requireDistinctRoutes(
  { routes }: Pick<BottleManifest, 'routes'>,
  layers: readonly LoadedLayer[],
): void {
  const documents = layers.map(({ document }) => document);
  for (const { key, value } of repeatedInRoutes(routes)) {
    const names = routes.flatMap((route) => (route[key] === value ? [route.name] : []));
    const place = names.flatMap((name) => placesOfRoute(documents, name)).at(-1);
    const message = `"routes" ${names.join(' and ')} have one ${ROUTE_KEYS[key]}, ${value}: give each its own`;
    if (place !== undefined) throw new ManifestError(place.file, [{ line: place.line, message }]);
  }
}

/** A layer and the file it was read from. */
export interface LoadedLayer {
  readonly document: ManifestDocument;
  readonly layer: BottleLayer;
}

/**
 * The bottle and what it extends, in merging order: what is extended stands before what extends it, and each once;
 * `undefined` when there is no such bottle. Errors: `ManifestError` where a bottle extends one that does not exist, or
 * that leads back to it; what `load` throws.
 */
export async function bottleLayers(
  name: string,
  load: (name: string) => Promise<LoadedLayer | undefined>,
): Promise<readonly LoadedLayer[] | undefined> {
  const done = new Map<string, LoadedLayer>();
  const visit = async (current: LoadedLayer, path: readonly string[]): Promise<void> => {
    const { name: own, extends: parents } = current.layer;
    if (done.has(own)) return;
    for (const parent of parents) {
      const way = [...path, own, parent];
      if (way.indexOf(parent) < way.length - 1)
        throw extendsError(current, `leads in a circle: ${way.slice(way.indexOf(parent)).join(' → ')}`);
      const loaded = done.get(parent) ?? (await load(parent));
      if (loaded === undefined) throw extendsError(current, `names "${parent}", and there is no such bottle`);
      await visit(loaded, [...path, own]);
    }
    done.set(own, current);
  };
  const first = await load(name);
  if (first === undefined) return undefined;
  await visit(first, []);
  return [...done.values()];
}

function extendsError({ document }: LoadedLayer, what: string): ManifestError {
  const line = lineOfKey(document, ['extends']) ?? 1;
  return new ManifestError(document.file, [{ line, message: `"extends" ${what}` }]);
}
