import { InvalidInputError } from './errors.js';
import type { ManifestDocument } from './manifest-document.js';
import { ManifestReader, type Check } from './manifest-reader.js';
import { WHOLE_REPOSITORY } from './bottle-setup.js';
import type { AgentManifest, BottleManifest } from './manifests.js';
import { MANIFEST_KEY } from './trigger.js';

export const DEFAULT_BOTTLE = 'default';

const MIB = 1024 * 1024;
const DEFAULT_LIMITS = { memoryBytes: 2048 * MIB, cpus: 2, pids: 512 };

/** In the specification, not yet in the product: refused, so that nobody relies on what has no effect. */
const LATER = {
  agent: new Set(['variant', 'limits']),
  bottle: new Set(['dockerfile', 'egress', 'routes', 'setup', 'workspace', 'forge_wake', 'runtime']),
  none: new Set<string>(),
};

/** One bottle's file by itself: what it does not say is `undefined`. */
export interface BottleLayer {
  readonly name: string;
  readonly extends: readonly string[];
  readonly image: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly memoryBytes: number | undefined;
  readonly cpus: number | undefined;
  readonly pids: number | undefined;
  readonly allowPaths: readonly string[];
  readonly drafts: boolean | undefined;
  readonly base: string | undefined;
}

export function isManifestName(name: string): boolean {
  return MANIFEST_KEY.test(name);
}

/** `agents/<name>.md`. Errors: `ManifestError` with file and line of everything that is wrong. */
export function readAgentManifest(document: ManifestDocument): AgentManifest {
  return ManifestReader.read(document, LATER.agent, (reader) => {
    const provider = reader.text('provider', word);
    if (provider === undefined && !document.entries.some(({ key }) => key === 'provider'))
      reader.missing('provider');
    const git = reader.section('git', LATER.none, (section) =>
      section.section('user', LATER.none, (user) => ({
        name: user.text('name', personName),
        email: user.text('email', mailAddress),
      })),
    );
    return {
      name: document.name,
      provider: provider ?? '',
      model: reader.text('model', word) ?? null,
      variant: null,
      limits: { turnTimeoutMs: null, watchdogMs: null },
      bottle: reader.text('bottle', manifestName) ?? DEFAULT_BOTTLE,
      gitUser: {
        name: git?.name ?? `bot-bottle ${document.name}`,
        // RFC 2606: an address that is nobody's.
        email: git?.email ?? `${document.name}@bot-bottle.invalid`,
      },
      prompt: document.body,
    };
  });
}

/** `bottles/<name>.md`; the body is for people. Errors: `ManifestError`. */
export function readBottleLayer(document: ManifestDocument): BottleLayer {
  return ManifestReader.read(document, LATER.bottle, (reader) => {
    const resources = reader.section('resources', LATER.none, (section) => ({
      memoryBytes: memoryBytes(section.text('memory', memory)),
      cpus: section.number('cpus', within(0.1, 256)),
      pids: section.number('pids', wholeWithin(16, 65_536)),
    }));
    const publish = reader.section('publish', LATER.none, (section) => ({
      allowPaths: section.texts('allow_paths', pathPattern),
      drafts: section.flag('drafts'),
      base: section.text('base', branchName),
    }));
    return {
      name: document.name,
      extends: reader.texts('extends', manifestName) ?? [],
      image: reader.text('image', imageName),
      env: reader.textMap('env', envEntry) ?? {},
      memoryBytes: resources?.memoryBytes,
      cpus: resources?.cpus,
      pids: resources?.pids,
      allowPaths: publish?.allowPaths ?? [],
      drafts: publish?.drafts,
      base: publish?.base,
    };
  });
}

/** Left to right: lists joined, scalars (and each variable of `env`) from the last that says something. */
export function mergeBottleLayers(layers: readonly BottleLayer[], name: string): BottleManifest {
  const last = <T>(pick: (layer: BottleLayer) => T | undefined): T | undefined =>
    layers.map(pick).findLast((value) => value !== undefined);
  return {
    name,
    image: last((layer) => layer.image) ?? null,
    env: Object.assign({}, ...layers.map((layer) => layer.env)) as Record<string, string>,
    limits: {
      memoryBytes: last((layer) => layer.memoryBytes) ?? DEFAULT_LIMITS.memoryBytes,
      cpus: last((layer) => layer.cpus) ?? DEFAULT_LIMITS.cpus,
      pids: last((layer) => layer.pids) ?? DEFAULT_LIMITS.pids,
    },
    publish: {
      allowPaths: [...new Set(layers.flatMap((layer) => layer.allowPaths))],
      drafts: last((layer) => layer.drafts) ?? false,
      base: last((layer) => layer.base) ?? null,
    },
    dockerfile: null,
    allow: [],
    routes: [],
    registries: [],
    setup: null,
    workspace: WHOLE_REPOSITORY,
    runtime: null,
    forgeWake: null,
  };
}

/**
 * The bottle and what it extends, in merging order: what is extended stands before what extends it, and each once.
 * Errors: `InvalidInputError` for a cycle; what `load` throws.
 */
export async function bottleLayers(
  name: string,
  load: (name: string) => Promise<BottleLayer>,
): Promise<readonly BottleLayer[]> {
  const done = new Map<string, BottleLayer>();
  const visit = async (current: string, path: readonly string[]): Promise<void> => {
    if (path.includes(current)) {
      throw new InvalidInputError(`bottles extend each other in a circle: ${[...path, current].join(' → ')}`);
    }
    if (done.has(current)) return;
    const layer = await load(current);
    for (const parent of layer.extends) await visit(parent, [...path, current]);
    done.set(current, layer);
  };
  await visit(name, []);
  return [...done.values()];
}

const WORD = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const MEMORY = /^([1-9][0-9]{0,14})([bkmg]?)$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: MIB, g: 1024 * MIB };

/** Reaches a command line [S3]; a leading hyphen would be an option there. */
const word: Check<string> = matching(
  WORD,
  'has characters other than A-Z a-z 0-9 . _ / -, or begins with none of them',
);
const manifestName: Check<string> = matching(MANIFEST_KEY, 'is not a possible name (a-z 0-9 . _ -)');
const imageName: Check<string> = matching(/^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/, 'is not an image name');
const personName: Check<string> = matching(/^[\p{L}\p{N}][^\p{C}<>]{0,99}$/u, 'is not a name for commits');
const mailAddress: Check<string> = matching(
  /^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,189}$/,
  'is not a mail address',
);
const pathPattern: Check<string> = matching(/^[^\p{C}]{1,500}$/u, 'is not a path');

function matching(pattern: RegExp, otherwise: string): Check<string> {
  return (value) => (pattern.test(value) ? undefined : otherwise);
}

function branchName(value: string): string | undefined {
  const possible = WORD.test(value) && !/\.\.|\/\/|[./]$|\.lock(?:\/|$)|\/\./.test(value);
  return possible ? undefined : 'is not a branch name';
}

function memory(value: string): string | undefined {
  const bytes = memoryBytes(value) ?? 0;
  return bytes >= 16 * MIB && bytes <= 1024 * 1024 * MIB
    ? undefined
    : 'must be a size like 512m or 2g, from 16m to 1024g';
}

function memoryBytes(value: string | undefined): number | undefined {
  const [, digits, unit] = MEMORY.exec(value ?? '') ?? [];
  const factor = UNITS[unit?.toLowerCase() ?? ''];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

function within(least: number, most: number): Check<number> {
  return (value) =>
    value >= least && value <= most ? undefined : `must be from ${String(least)} to ${String(most)}`;
}

function wholeWithin(least: number, most: number): Check<number> {
  return (value) => (Number.isInteger(value) ? within(least, most)(value) : 'must be a whole number');
}

function envEntry(key: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(key)) return 'is not a name of an environment variable';
  // The sidecar's and the entrypoint's own: never the agent's.
  if (/^(?:FORGE|BOTTLE|BOT_BOTTLE)_/.test(key)) return 'is reserved';
  return /[\0\r\n]/.test(value) || value.length > 4096
    ? 'must be one line of at most 4096 characters'
    : undefined;
}
