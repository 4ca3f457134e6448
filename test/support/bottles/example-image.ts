import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import type { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { removeBuiltImage } from '../../../src/adapters/docker/image/images.js';
import { BUILT_IMAGES } from '../../../src/adapters/docker/names-and-labels.js';

const BASE_IMAGE = process.env['BOT_BOTTLE_TEST_AGENT_IMAGE'] ?? 'bot-bottle/agent-scripted:dev';
/** One tag for each example, so that the image of an older base or Dockerfile is found and does not stay for ever. */
const LATEST = 'bot-bottle/test-bottles';
const never = new AbortController().signal;

/** Text of `manifests/bottles/<name>.Dockerfile`. */
export function exampleDockerfile(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../manifests/bottles/${name}.Dockerfile`, import.meta.url)),
    'utf8',
  );
}

/**
 * Builds the image as the worker does, or finds it built: it stays as a cache. The one that this name had before goes
 * when it was another one.
 * @returns its id
 */
export async function exampleImage(
  docker: Docker,
  runtime: DockerBottleRuntime,
  { name, dockerfile, slug }: { readonly name: string; readonly dockerfile: string; readonly slug: string },
): Promise<string> {
  const spec = { slug, dockerfile, base: BASE_IMAGE, network: 'default' } as const;
  const { id } = await runtime.buildImage(spec, never);
  const before = await docker
    .getImage(`${LATEST}:${name}`)
    .inspect()
    .catch(() => undefined);
  if (before?.Id === id) return id;
  await docker.getImage(id).tag({ repo: LATEST, tag: name });
  const old = before?.RepoTags.filter((tag) => tag.startsWith(`${BUILT_IMAGES}:`)) ?? [];
  for (const tag of old) await removeBuiltImage(docker, tag);
  return id;
}
