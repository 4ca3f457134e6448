/** Manifests that a test writes as YAML, read with the real parser. */
import assert from 'node:assert/strict';
import { parse } from 'node:path';
import { parseManifest } from '../../../src/adapters/manifests/parse-manifest.js';
import { isPublicSuffix } from '../../../src/adapters/manifests/public-suffix.js';
import { readBottleLayer, type BottleLayer } from '../../../src/domain/manifest/manifest-bottle.js';
import type { ManifestDocument } from '../../../src/domain/manifest/manifest-document.js';
import type { LoadedLayer } from '../../../src/domain/manifest/manifest-merge.js';
import { ManifestError } from '../../../src/domain/manifest/manifest-reader.js';

/** The first line of `frontMatter` is the second of the file. */
export function documentOf(frontMatter: string, file = 'x.md'): ManifestDocument {
  return parseManifest(file, parse(file).name, `---\n${frontMatter}\n---\n`);
}

/** Errors: `ManifestError`. */
export function layerOf(frontMatter: string, file?: string): BottleLayer {
  return readBottleLayer(documentOf(frontMatter, file), isPublicSuffix);
}

/** Layers of `0.md`, `1.md` …, from bottom to top; each Dockerfile that one names is `FROM x`. */
export function layersOf(...texts: readonly string[]): LoadedLayer[] {
  return texts.map((text, index) => {
    const file = `${String(index)}.md`;
    const layer = layerOf(text, file);
    return {
      document: documentOf(text, file),
      layer: layer.dockerfile === undefined ? layer : { ...layer, dockerfileText: 'FROM x' },
    };
  });
}

/** What `read` says is wrong, as `line: message`; nothing where it finds nothing. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ManifestError, `not a manifest error: ${String(error)}`);
    return error.problems.map(({ line, message }) => `${String(line)}: ${message}`);
  }
}
