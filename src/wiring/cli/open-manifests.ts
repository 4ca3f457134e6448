import { bottleEditor } from '../../adapters/manifests/bottle-editor.js';
import { ManifestDirectory } from '../../adapters/manifests/manifest-directory.js';
import type { ManifestLibrary } from '../../cli/manifests/library.js';
import type { Config } from '../../config/load-config.js';
import type { BottleEditor } from '../../domain/manifest/bottle-editor.js';
import { manifestLibrary } from '../manifest-library.js';
import { needsWorld } from '../needs-world.js';

/** The manifests of this home, and of the product, with what they need here. */
export function openManifests(config: Config): ManifestLibrary {
  return manifestLibrary(new ManifestDirectory(config.BOT_BOTTLE_HOME), needsWorld(config));
}

/** What `--for bottle` writes with. */
export function openBottleEditor({ BOT_BOTTLE_HOME: home }: Config): BottleEditor {
  return bottleEditor(home, new ManifestDirectory(home));
}
