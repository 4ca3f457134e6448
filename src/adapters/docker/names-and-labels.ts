import { BottleRuntimeError, InvalidInputError } from '../../domain/base/errors.js';
import type { ContainerRole } from '../../domain/bottle/bottle-runtime.js';
import { isSlug } from '../../domain/run/slug.js';
import { sha256 } from '../system/sha256.js';

/** Every name and label we give to the engine's objects; the only place that knows how they are spelt. */
export const LABEL_MANAGED = 'bot-bottle.managed';
export const LABEL_SLUG = 'bot-bottle.slug';
export const LABEL_ROLE = 'bot-bottle.role';
export const LABEL_SPEC_HASH = 'bot-bottle.spec-hash';
/** Whose it is, where several workers, each with a home of its own, share an engine. */
const LABEL_HOST = 'bot-bottle.host';

/** `sock`: the bundle's Unix sockets; `home`: the agent's home, where its session lives. */
export type VolumeKind = 'sock' | 'home';
export const VOLUME_KINDS: readonly VolumeKind[] = ['sock', 'home'];

export type Labels = Readonly<Record<string, string>>;

const ONE_SHOT_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,79}$/;

/** @throws InvalidInputError for anything that is not a slug, before it becomes part of a name or a path. */
export function requireSlug(slug: string): string {
  const valid: boolean = isSlug(slug);
  if (!valid) throw new InvalidInputError(`not a slug: ${JSON.stringify(slug.slice(0, 80))}`);
  return slug;
}

export function containerName(slug: string, role: ContainerRole): string {
  return `bb-${requireSlug(slug)}-${role}`;
}

export function volumeName(slug: string, kind: VolumeKind): string {
  return `bb-${requireSlug(slug)}-${kind}`;
}

/** One-shots have a segment of their own, so that none can take the agent's or the bundle's name. */
export function oneShotName(slug: string, name: string): string {
  if (!ONE_SHOT_NAME.test(name))
    throw new InvalidInputError(`not a name for a container: ${JSON.stringify(name.slice(0, 80))}`);
  return `bb-${requireSlug(slug)}-once-${name}`;
}

/** Images that were built for bottles have tags in this repository, and nothing else does. */
export const BUILT_IMAGES = 'bot-bottle/bottle';

/** The run's own name on its image. A tag has no labels, so whose it is stands in the name; a slug has no dot. */
const RUN_IMAGES = 'bot-bottle/run';
const RUN_TAG = /^([a-z0-9-]+)(?:\.([a-z0-9-]+))?$/;

export function runImageName(
  slug: string,
  host: string | null,
): { readonly repo: string; readonly tag: string } {
  return { repo: RUN_IMAGES, tag: host === null ? requireSlug(slug) : `${requireSlug(slug)}.${host}` };
}

/** `undefined` for what is no such name. */
export function runOfImageName(
  reference: string,
): { readonly slug: string; readonly host: string | null } | undefined {
  if (!reference.startsWith(`${RUN_IMAGES}:`)) return undefined;
  const [, slug, host] = RUN_TAG.exec(reference.slice(RUN_IMAGES.length + 1)) ?? [];
  return isSlug(slug) ? { slug, host: host ?? null } : undefined;
}

/** @param host the worker's host id (`$BOT_BOTTLE_HOME/host-id`); `null` leaves it open whose it is */
export function labelsOf(slug: string, role: string, host: string | null = null): Record<string, string> {
  return {
    [LABEL_MANAGED]: '1',
    [LABEL_SLUG]: requireSlug(slug),
    [LABEL_ROLE]: role,
    ...(host === null ? {} : { [LABEL_HOST]: host }),
  };
}

/** Filters of the engine's lists: what is ours, on this host; of all hosts for `null`. @param more further labels */
export function ownedFilters(host: string | null, more: Labels = {}): { readonly label: string[] } {
  const labels = { [LABEL_MANAGED]: '1', ...more, ...(host === null ? {} : { [LABEL_HOST]: host }) };
  return { label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) };
}

/**
 * Something else may have taken the name; what does not carry the labels of this run and role is never touched.
 * @throws BottleRuntimeError
 */
export function requireOurs(
  labels: Labels | null | undefined,
  slug: string,
  role: string,
  name: string,
): void {
  const expected = Object.entries(labelsOf(slug, role));
  if (labels && expected.every(([key, value]) => labels[key] === value)) return;
  throw new BottleRuntimeError(
    `${name} exists but is not ours: it lacks the labels of run ${slug}. Rename or remove it`,
    false,
  );
}

/** SHA-256 of what a container is made from, hex. */
export function specHash(options: object): string {
  return sha256(JSON.stringify(options));
}
