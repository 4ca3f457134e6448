import type { WorkspaceOptions } from '../bottle/bottle-setup.js';
import { formatAllowEntry, readAllowEntry } from '../egress/allowlist.js';
import { isVendorHost, ONLY_BY_ROUTE } from '../egress/vendors.js';
import { REGISTRY_KINDS } from '../egress/route.js';
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

const MAX_DEPTH = 1_000_000;
const AUDIENCES = ['collaborators', 'org', 'anyone'] as const;
const CHECKS_WORDS = ['checks', 'no-checks'] as const;

/** One bottle's file by itself: what it does not say is `undefined`. */
export type BottleLayer = ReturnType<typeof readLayer> & {
  /** What is in the file that `dockerfile` names, beside the manifest: the loader reads it. */
  readonly dockerfileText?: string;
};

/**
 * Whether names below it belong to different owners: it is a public suffix, with those of hosting companies, or stands
 * above one.
 */
export type IsPublicSuffix = (host: string) => boolean;

/** `bottles/<name>.md`; the body is for people. Errors: `ManifestError`. */
export function readBottleLayer(document: ManifestDocument, isPublicSuffix: IsPublicSuffix): BottleLayer {
  return ManifestReader.read(document, (reader) => readLayer(document.name, reader, isPublicSuffix));
}

function readLayer(name: string, reader: ManifestReader, isPublicSuffix: IsPublicSuffix) {
  const egress = reader.section('egress', (section) => section.texts('allow', allowEntry(isPublicSuffix)));
  if (reader.has('image') && reader.has('dockerfile'))
    reader.wrong('dockerfile', 'cannot be combined with "image": remove one');
  return {
    name,
    extends: reader.texts('extends', manifestName) ?? [],
    image: reader.text('image', imageName),
    dockerfile: reader.text('dockerfile', fileName),
    env: reader.textMap('env', envEntry) ?? {},
    /** Normalised, each once. */
    allow: [...new Set((egress ?? []).map(normalised))],
    routes: readRoutes(reader),
    registries: reader.words('registries', REGISTRY_KINDS) ?? [],
    resources: reader.section('resources', (section) => ({
      memoryBytes: sizeBytes(section.text('memory', size(16))),
      cpus: section.number('cpus', within(0.1, 256)),
      pids: section.number('pids', wholeWithin(16, 65_536)),
      diskBytes: sizeBytes(section.text('disk', size(1))),
      files: section.number('files', wholeWithin(100, 1_000_000_000)),
    })),
    setup: reader.text('setup', script),
    workspace: reader.section('workspace', readWorkspace) ?? {},
    publish: reader.section('publish', (section) => ({
      allowPaths: section.texts('allow_paths', pathPattern),
      drafts: section.flag('drafts'),
      base: section.text('base', branchName),
    })),
    ...readForgeWake(reader),
    forgeRead: reader.word('forge_read', ['all', 'allowed']),
    runtime: reader.text('runtime', runtimeName),
  };
}

/** Whom the bottle lets wake its agent, and whether checks do. */
function readForgeWake(reader: ManifestReader) {
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
    if (isVendorHost(entry.host)) return `has ${quoted(value)}, which ${ONLY_BY_ROUTE}`;
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
