/** Manifests as people look at them: every value that is in effect, and the lines that it comes from. */
import { formatDuration } from '../base/duration.js';
import { lineOfKey, type ManifestDocument } from './manifest-document.js';
import type { AgentManifest, BottleManifest } from './manifests.js';

export interface ManifestValue {
  /** As it is written in a manifest: `resources.memory`; of a route `routes.<name>`. */
  readonly key: string;
  /** Plain data, `null` where nothing is said and something outside decides. */
  readonly value: unknown;
  /** `file:line` of each layer that it comes from; empty for a default. */
  readonly from: readonly string[];
}

export function agentValues(agent: AgentManifest, document: ManifestDocument): ManifestValue[] {
  const { turnTimeoutMs, watchdogMs } = agent.limits;
  const value = (key: string, given: unknown): ManifestValue => ({
    key,
    value: given,
    from: linesOf([document], key.split('.')),
  });
  return [
    value('provider', agent.providers.length === 1 ? agent.providers[0] : agent.providers),
    value('model', agent.model),
    value('variant', agent.variant),
    value('bottle', agent.bottle),
    value('git.user.name', agent.gitUser.name),
    value('git.user.email', agent.gitUser.email),
    value('limits.turn_timeout', turnTimeoutMs === null ? null : formatDuration(turnTimeoutMs)),
    value('limits.watchdog', watchdogMs === null ? null : formatDuration(watchdogMs)),
  ];
}

/** @param documents what the bottle was merged from, in order */
export function bottleValues(
  bottle: BottleManifest,
  documents: readonly ManifestDocument[],
): ManifestValue[] {
  const last = (key: string, value: unknown): ManifestValue => ({
    key,
    value,
    from: linesOf(documents, key.split('.')).slice(-1),
  });
  const joined = (key: string, value: readonly unknown[]): ManifestValue => ({
    key,
    value,
    from: linesOf(documents, key.split('.')),
  });
  const { limits, disk, workspace, publish } = bottle;
  return [
    last('image', bottle.image),
    last('dockerfile', bottle.dockerfile),
    // A variable's name may have anything in it but a dot.
    ...Object.entries(bottle.env).map(([name, value]) => last(`env.${name}`, value)),
    joined('egress.allow', bottle.allow),
    ...bottle.routes.map((route) => ({
      key: `routes.${route.name}`,
      value: route,
      from: linesOfRoute(documents, route.name).slice(-1),
    })),
    joined('registries', bottle.registries),
    last('resources.memory', limits.memoryBytes),
    last('resources.cpus', limits.cpus),
    last('resources.pids', limits.pids),
    last('resources.disk', disk.bytes),
    last('resources.files', disk.inodes),
    last('setup', bottle.setup),
    last('workspace.depth', workspace.depth),
    joined('workspace.sparse', workspace.sparse),
    last('workspace.submodules', workspace.submodules),
    joined('workspace.submodule_repos', workspace.submoduleRepos),
    last('workspace.lfs', workspace.lfs),
    joined('publish.allow_paths', publish.allowPaths),
    last('publish.drafts', publish.drafts),
    last('publish.base', publish.base),
    last(
      'forge_wake',
      bottle.checksWake
        ? bottle.forgeWake
        : [...(bottle.forgeWake === null ? [] : [bottle.forgeWake]), 'no-checks'],
    ),
    last('forge_read', bottle.forgeRead),
    last('runtime', bottle.runtime),
  ].filter(({ key }) => !isOtherImage(key, bottle));
}

/** `file:line` of the route in each document that has it. */
export function linesOfRoute(documents: readonly ManifestDocument[], name: string): string[] {
  return placesOfRoute(documents, name).map(({ file, line }) => `${file}:${String(line)}`);
}

/** Where the route stands in each document that has it. */
export function placesOfRoute(
  documents: readonly ManifestDocument[],
  name: string,
): { readonly file: string; readonly line: number }[] {
  return documents.flatMap(({ file, entries }) => {
    const routes = entries.find(({ key }) => key === 'routes')?.value;
    const items = routes?.kind === 'list' ? routes.items : [];
    const item = items.find(
      (one) =>
        one.kind === 'map' &&
        one.entries.some(
          ({ key, value }) => key === 'name' && value.kind === 'scalar' && value.value === name,
        ),
    );
    return item === undefined ? [] : [{ file, line: item.line }];
  });
}

function linesOf(documents: readonly ManifestDocument[], path: readonly string[]): string[] {
  return documents.flatMap((document) => {
    const line = lineOfKey(document, path);
    return line === undefined ? [] : [`${document.file}:${String(line)}`];
  });
}

/** Image and Dockerfile are one choice: the one that was not taken is not shown with the line of a layer below. */
function isOtherImage(key: string, { image, dockerfile }: BottleManifest): boolean {
  if (key === 'image') return image === null && dockerfile !== null;
  return key === 'dockerfile' && dockerfile === null;
}
