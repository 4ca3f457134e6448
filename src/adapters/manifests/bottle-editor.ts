import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { BottleEditor, ManifestEdit } from '../../domain/manifest/bottle-editor.js';
import { readBottleLayer } from '../../domain/manifest/manifest-bottle.js';
import { lineOfKey } from '../../domain/manifest/manifest-document.js';
import {
  mergeBottleLayers,
  requireDistinctRoutes,
  type LoadedLayer,
} from '../../domain/manifest/manifest-merge.js';
import type { BottleManifest } from '../../domain/manifest/manifests.js';
import { withChange, type EgressChange } from '../../domain/supervise/config-change.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import { writeWhole } from '../system/write-file.js';
import { decodeText } from './decode-text.js';
import { editedManifest } from './edit-manifest.js';
import type { ManifestDirectory } from './manifest-directory.js';
import { parseManifest } from './parse-manifest.js';
import { isPublicSuffix } from './public-suffix.js';

/** Edits the operator's own manifests. @param home `$BOT_BOTTLE_HOME`, whose manifests `directory` has */
export function bottleEditor(home: string, directory: ManifestDirectory): BottleEditor {
  return {
    plan: async (bottles, manifest, change) => {
      const layers = await directory.layers(bottles);
      if (layers === undefined)
        throw new InvalidInputError(
          `of the bottles ${bottles.join(', ')} not all are in ${home} or come with this program: is this the machine of the run?`,
        );
      const chosen = chosenOf(layers, bottles, manifest, change);
      const { file, name } = chosen.document;
      if (!(await directory.isOwn('bottles', name))) {
        const { dockerfile } = chosen.layer;
        // It is looked for beside the manifest: a copy without it is no bottle.
        const beside = dockerfile === undefined ? '' : `, and ${dockerfile} to the same place,`;
        throw new InvalidInputError(
          `the bottle ${name} comes with the program (${file}): copy it to ${path.join(home, 'bottles', `${name}.md`)}${beside} and change that, or name another manifest with --manifest`,
        );
      }
      const before = await read(file);
      const after = editedManifest(before, change);
      checkEdited(layers, chosen, after, change);
      return editOf(file, before, after);
    },
  };
}

/** The layer to be changed. Errors: `InvalidInputError` when nobody can tell which one is meant. */
function chosenOf(
  layers: readonly LoadedLayer[],
  bottles: readonly string[],
  manifest: string | undefined,
  { kind }: EgressChange,
): LoadedLayer {
  const names = [...new Set(layers.map(({ document }) => document.name))].join(', ');
  if (manifest !== undefined) {
    const named = layers.find(({ document }) => document.name === manifest);
    if (named !== undefined) return named;
    throw new InvalidInputError(`--manifest: the run’s bottle is made of ${names}, and not of ${manifest}`);
  }
  const key = kind === 'allowlist' ? ['egress', 'allow'] : ['routes'];
  const last =
    layers.findLast(({ document }) => lineOfKey(document, key) !== undefined) ??
    (bottles.length === 1 ? layers.at(-1) : undefined);
  if (last !== undefined) return last;
  throw new InvalidInputError(
    `the run’s bottle is made of ${names}, and none has ${key.join('.')}: name one with --manifest`,
  );
}

/**
 * Whether the bottle as it will be is what it is now with the change, and nothing else. Errors: `ManifestError` for a manifest
 * that would not be valid, `InvalidInputError` where another one has a part in it.
 */
function checkEdited(
  layers: readonly LoadedLayer[],
  { document: { file, name }, layer: { dockerfileText } }: LoadedLayer,
  text: string,
  change: EgressChange,
): void {
  const document = parseManifest(file, name, text);
  const own = readBottleLayer(document, isPublicSuffix);
  const layer = dockerfileText === undefined ? own : { ...own, dockerfileText };
  const edited = layers.map((one) => (one.document.file === file ? { document, layer } : one));
  const [now, then] = [layers, edited].map((all) => mergeBottleLayers(all.map((one) => one.layer)));
  if (now === undefined || then === undefined) return;
  requireDistinctRoutes(then, edited);
  if (isDeepStrictEqual(sorted(then), sorted({ ...now, ...withChange(now, change) }))) return;
  const others = [...new Set(layers.map((one) => one.document.file))].filter((one) => one !== file);
  throw new InvalidInputError(
    `${file} alone cannot bring this about: ${others.join(', ') || 'the bottle'} would still say otherwise. Name a manifest with --manifest, or change them by hand`,
  );
}

/** What has no order. */
function sorted(bottle: BottleManifest): object {
  const byName = [...bottle.routes].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...bottle, allow: [...bottle.allow].sort(), routes: byName };
}

function editOf(file: string, before: string, after: string): ManifestEdit {
  return {
    file,
    diff: lineDiff(before, after),
    write: async () => {
      if ((await read(file)) !== before)
        throw new InvalidInputError(`${file} was changed meanwhile: nothing was written`);
      // A link stays one, and mode and owner are those of what it leads to.
      const real = await realpath(file);
      const { mode, uid, gid } = await stat(real);
      await writeWhole(real, after, { mode: mode & 0o7777, owner: { uid, gid }, durable: true });
    },
  };
}

async function read(file: string): Promise<string> {
  return decodeText(file, await readFile(file));
}
