import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAgentManifest } from '../../domain/manifest/manifest-agent.js';
import { readBottleLayer } from '../../domain/manifest/manifest-bottle.js';
import { lineOfKey, type ManifestDocument } from '../../domain/manifest/manifest-document.js';
import {
  bottleLayers,
  mergeBottleLayers,
  requireDistinctRoutes,
  type LoadedLayer,
} from '../../domain/manifest/manifest-merge.js';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';
import type { AgentManifest, BottleManifest, Manifests } from '../../domain/manifest/manifests.js';
import { MANIFEST_KEY } from '../../domain/forge/trigger.js';
import { parseManifest } from './parse-manifest.js';
import { isPublicSuffix } from './public-suffix.js';
import { readManifestFile } from './read-manifest-file.js';

/** The examples that come with the product: the same place seen from `src` and from `dist`. */
export const BUILT_IN_MANIFESTS = fileURLToPath(new URL('../../../manifests', import.meta.url));

const MAX_MANIFEST_BYTES = 256 * 1024;
const MAX_DOCKERFILE_BYTES = 64 * 1024;

export type ManifestKind = 'agents' | 'bottles';

/**
 * Manifests on the local disk, read at each call: an edit counts from the next turn on. The operator's own come before
 * the built-in ones of the same name.
 * Errors: `ManifestError`; `InvalidInputError` for a file that cannot be read.
 */
export class ManifestDirectory implements Manifests {
  readonly #directories: readonly string[];

  /** @param home `$BOT_BOTTLE_HOME` */
  constructor(home: string, builtIn: string = BUILT_IN_MANIFESTS) {
    this.#directories = [home, builtIn];
  }

  async agent(name: string): Promise<AgentManifest | undefined> {
    const document = await this.document('agents', name);
    return document === undefined ? undefined : readAgentManifest(document);
  }

  async bottle(names: readonly string[]): Promise<BottleManifest | undefined> {
    const layers = await this.layers(names);
    if (layers === undefined) return undefined;
    const bottle = mergeBottleLayers(layers.map(({ layer }) => layer));
    requireDistinctRoutes(bottle, layers);
    return bottle;
  }

  /** What the bottles are merged from, in order; `undefined` when one of them does not exist. */
  async layers(names: readonly string[]): Promise<readonly LoadedLayer[] | undefined> {
    const all: LoadedLayer[] = [];
    for (const name of names) {
      const layers = await bottleLayers(name, (wanted) => this.#layer(wanted));
      if (layers === undefined) return undefined;
      all.push(...layers);
    }
    return names.length === 0 ? undefined : all;
  }

  /** The front matter as it stands in the file. */
  async document(kind: ManifestKind, name: string): Promise<ManifestDocument | undefined> {
    const found = await this.#find(kind, name);
    return found?.document;
  }

  /** Names of what there is, sorted; whether a manifest can be read is another question. */
  async names(kind: ManifestKind): Promise<string[]> {
    const files = (await this.#files(kind)).map(({ name }) => name);
    return [...new Set(files)].filter((name) => MANIFEST_KEY.test(name)).sort();
  }

  /** Whether the manifest of that name is the operator's own, and not a built-in one. */
  async isOwn(kind: ManifestKind, name: string): Promise<boolean> {
    return (await this.#files(kind, this.#directories.slice(0, 1))).some((file) => file.name === name);
  }

  /** Files that look like manifests and can be none, for their names. */
  async misnamed(kind: ManifestKind): Promise<string[]> {
    const files = await this.#files(kind);
    return files.filter(({ name }) => !MANIFEST_KEY.test(name)).map(({ file }) => file);
  }

  async #files(
    kind: ManifestKind,
    directories = this.#directories,
  ): Promise<{ readonly name: string; readonly file: string }[]> {
    const found = await Promise.all(
      directories.map(async (home) => {
        const files = await readdir(join(home, kind)).catch((): string[] => []);
        return files
          .filter((file) => file.endsWith('.md'))
          .map((file) => ({ name: file.slice(0, -3), file: join(home, kind, file) }));
      }),
    );
    return found.flat();
  }

  async #layer(name: string): Promise<LoadedLayer | undefined> {
    const found = await this.#find('bottles', name);
    if (found === undefined) return undefined;
    const { document, directory } = found;
    const layer = readBottleLayer(document, isPublicSuffix);
    if (layer.dockerfile === undefined) return { document, layer };
    const dockerfile = join(directory, layer.dockerfile);
    const dockerfileText = await readManifestFile(dockerfile, MAX_DOCKERFILE_BYTES);
    if (dockerfileText !== undefined) return { document, layer: { ...layer, dockerfileText } };
    const line = lineOfKey(document, ['dockerfile']) ?? 1;
    const message = `"dockerfile" names ${dockerfile}, and there is no such file`;
    throw new ManifestError(document.file, [{ line, message }]);
  }

  async #find(
    kind: ManifestKind,
    name: string,
  ): Promise<{ readonly document: ManifestDocument; readonly directory: string } | undefined> {
    if (!MANIFEST_KEY.test(name)) return undefined;
    for (const home of this.#directories) {
      const directory = join(home, kind);
      const file = join(directory, `${name}.md`);
      const text = await readManifestFile(file, MAX_MANIFEST_BYTES);
      if (text !== undefined) return { document: parseManifest(file, name, text), directory };
    }
    return undefined;
  }
}
