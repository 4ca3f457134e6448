import type { Audience } from '../forge/access.js';
import type { WorkspaceOptions } from '../bottle/bottle-setup.js';
import { formatAllowEntry, readAllowEntry } from '../egress/allowlist.js';
import { REGISTRY_KINDS, type RegistryKind, type Route } from '../egress/route.js';
import {
  branchName,
  directory,
  envEntry,
  fileName,
  imageName,
  manifestName,
  pathPattern,
  repositoryName,
  runtimeName,
  script,
  size,
  sizeBytes,
  wholeWithin,
  within,
} from './manifest-checks.js';
import type { ManifestDocument } from './manifest-document.js';
import { ManifestReader, quoted, type Check } from './manifest-reader.js';
import { readRoutes } from './manifest-routes.js';
import type { BottleManifest } from './manifests.js';

const MAX_DEPTH = 1_000_000;
const AUDIENCES = ['collaborators', 'org', 'anyone'] as const;
const CHECKS_WORDS = ['checks', 'no-checks'] as const;

/** One bottle's file by itself: what it does not say is `undefined`. */
export interface BottleLayer {
  readonly name: string;
  readonly extends: readonly string[];
  readonly image: string | undefined;
  /** Name of the file beside the manifest, which the loader reads. */
  readonly dockerfile: string | undefined;
  /** What is in it, once it is read. */
  readonly dockerfileText?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Normalised, each once. */
  readonly allow: readonly string[];
  readonly routes: readonly Route[];
  readonly registries: readonly RegistryKind[];
  readonly memoryBytes: number | undefined;
  readonly cpus: number | undefined;
  readonly pids: number | undefined;
  readonly diskBytes: number | undefined;
  readonly files: number | undefined;
  readonly setup: string | undefined;
  readonly workspace: Partial<WorkspaceOptions>;
  readonly allowPaths: readonly string[];
  readonly drafts: boolean | undefined;
  readonly base: string | undefined;
  readonly forgeWake: Audience | undefined;
  readonly checksWake: boolean | undefined;
  readonly forgeRead: BottleManifest['forgeRead'] | undefined;
  readonly runtime: string | undefined;
}

/**
 * Whether names below it belong to different owners: it is a public suffix, with those of hosting companies, or stands
 * above one.
 */
export type IsPublicSuffix = (host: string) => boolean;

/** `bottles/<name>.md`; the body is for people. Errors: `ManifestError`. */
export function readBottleLayer(document: ManifestDocument, isPublicSuffix: IsPublicSuffix): BottleLayer {
  return ManifestReader.read(document, (reader) => {
    const egress = reader.section('egress', (section) => section.texts('allow', allowEntry(isPublicSuffix)));
    const resources = reader.section('resources', (section) => ({
      memoryBytes: sizeBytes(section.text('memory', size(16))),
      cpus: section.number('cpus', within(0.1, 256)),
      pids: section.number('pids', wholeWithin(16, 65_536)),
      diskBytes: sizeBytes(section.text('disk', size(1))),
      files: section.number('files', wholeWithin(100, 1_000_000_000)),
    }));
    const publish = reader.section('publish', (section) => ({
      allowPaths: section.texts('allow_paths', pathPattern),
      drafts: section.flag('drafts'),
      base: section.text('base', branchName),
    }));
    if (reader.has('image') && reader.has('dockerfile'))
      reader.wrong('dockerfile', 'cannot be combined with "image": remove one');
    return {
      name: document.name,
      extends: reader.texts('extends', manifestName) ?? [],
      image: reader.text('image', imageName),
      dockerfile: reader.text('dockerfile', fileName),
      env: reader.textMap('env', envEntry) ?? {},
      allow: [...new Set((egress ?? []).map(normalised))],
      routes: readRoutes(reader),
      registries: reader.words('registries', REGISTRY_KINDS) ?? [],
      memoryBytes: resources?.memoryBytes,
      cpus: resources?.cpus,
      pids: resources?.pids,
      diskBytes: resources?.diskBytes,
      files: resources?.files,
      setup: reader.text('setup', script),
      workspace: reader.section('workspace', readWorkspace) ?? {},
      allowPaths: publish?.allowPaths ?? [],
      drafts: publish?.drafts,
      base: publish?.base,
      ...readForgeWake(reader),
      forgeRead: reader.word('forge_read', ['all', 'allowed']),
      runtime: reader.text('runtime', runtimeName),
    };
  });
}

/** Whom the bottle lets wake its agent, and whether checks do. */
function readForgeWake(reader: ManifestReader): Pick<BottleLayer, 'forgeWake' | 'checksWake'> {
  const words = reader.words('forge_wake', [...AUDIENCES, ...CHECKS_WORDS]) ?? [];
  const audiences = AUDIENCES.filter((word) => words.includes(word));
  const checks = CHECKS_WORDS.filter((word) => words.includes(word));
  if (audiences.length > 1 || checks.length > 1)
    reader.wrong('forge_wake', `has ${quoted(words.join(', '))}, which exclude each other`);
  return {
    forgeWake: audiences[0],
    checksWake: checks[0] === undefined ? undefined : checks[0] === 'checks',
  };
}

function readWorkspace(section: ManifestReader): Partial<WorkspaceOptions> {
  const depth = section.number('depth', wholeWithin(0, MAX_DEPTH));
  const sparse = section.texts('sparse', directory)?.map((path) => path.replace(/\/$/, ''));
  const submodules = section.flag('submodules');
  const submoduleRepos = section.texts('submodule_repos', repositoryName);
  const lfs = section.flag('lfs');
  return {
    ...(depth === undefined ? {} : { depth: depth === 0 ? null : depth }),
    ...(sparse === undefined ? {} : { sparse }),
    ...(submodules === undefined ? {} : { submodules }),
    ...(submoduleRepos === undefined ? {} : { submoduleRepos }),
    ...(lfs === undefined ? {} : { lfs }),
  };
}

function allowEntry(isPublicSuffix: IsPublicSuffix): Check<string> {
  return (value) => {
    const entry = readAllowEntry(lowerCase(value));
    if ('problem' in entry) return `has ${quoted(value)}, which ${entry.problem}`;
    return entry.wildcard && isPublicSuffix(entry.host)
      ? `has ${quoted(value)}, below which anybody may have a host: name the hosts`
      : undefined;
  };
}

function normalised(text: string): string {
  const entry = readAllowEntry(lowerCase(text));
  return 'problem' in entry ? text : formatAllowEntry(entry);
}

/** Not `toLowerCase`: that makes ASCII of letters that are none. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
