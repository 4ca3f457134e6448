import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '../../domain/errors.js';
import type { ManifestDocument } from '../../domain/manifest-document.js';
import {
  bottleLayers,
  isManifestName,
  mergeBottleLayers,
  readAgentManifest,
  readBottleLayer,
  type BottleLayer,
} from '../../domain/manifest.js';
import { ManifestError } from '../../domain/manifest-reader.js';
import type { AgentManifest, BottleManifest, Manifests } from '../../domain/manifests.js';
import { parseManifest } from './parse-manifest.js';

/** The examples that come with the product: the same place seen from `src` and from `dist`. */
export const BUILT_IN_MANIFESTS = fileURLToPath(new URL('../../../manifests', import.meta.url));

const MAX_BYTES = 256 * 1024;

/**
 * Manifests on the local disk, read at each call: an edit counts from the next turn on. The operator's own come before
 * the built-in ones of the same name.
 * Errors: `ManifestError`; `InvalidInputError` for bottles that do not exist or extend each other in a circle.
 */
export class ManifestDirectory implements Manifests {
  readonly #directories: readonly string[];

  /** @param home `$BOT_BOTTLE_HOME` */
  constructor(home: string, builtIn: string = BUILT_IN_MANIFESTS) {
    this.#directories = [home, builtIn];
  }

  async agent(name: string): Promise<AgentManifest | undefined> {
    const document = await this.#find('agents', name);
    return document === undefined ? undefined : readAgentManifest(document);
  }

  async bottle(names: readonly string[]): Promise<BottleManifest | undefined> {
    const layers: BottleLayer[] = [];
    for (const name of names) {
      if ((await this.#find('bottles', name)) === undefined) return undefined;
      layers.push(...(await bottleLayers(name, (wanted) => this.#layer(wanted))));
    }
    return names.length === 0 ? undefined : mergeBottleLayers(layers, names.join('+'));
  }

  /** Names of what there is, sorted; whether a manifest can be read is another question. */
  async names(kind: 'agents' | 'bottles'): Promise<string[]> {
    const files = await Promise.all(
      this.#directories.map((directory) => readdir(join(directory, kind)).catch(() => [])),
    );
    const names = files.flat().flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
    return [...new Set(names)].filter(isManifestName).sort();
  }

  async #layer(name: string): Promise<BottleLayer> {
    const document = await this.#find('bottles', name);
    if (document === undefined) throw new InvalidInputError(`there is no bottle ${JSON.stringify(name)}`);
    return readBottleLayer(document);
  }

  async #find(kind: 'agents' | 'bottles', name: string): Promise<ManifestDocument | undefined> {
    if (!isManifestName(name)) return undefined;
    for (const directory of this.#directories) {
      const file = join(directory, kind, `${name}.md`);
      const text = await readText(file);
      if (text !== undefined) return parseManifest(file, name, text);
    }
    return undefined;
  }
}

async function readText(file: string): Promise<string | undefined> {
  let handle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new InvalidInputError(`${file} cannot be read`, { cause: error });
  }
  try {
    if ((await handle.stat()).size > MAX_BYTES) {
      throw new ManifestError(file, [{ line: 1, message: `longer than ${String(MAX_BYTES)} bytes` }]);
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
