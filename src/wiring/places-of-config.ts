import path from 'node:path';
import { knownRepositoriesFile } from '../adapters/files/known-repositories-file.js';
import type { Config } from '../config/load-config.js';
import { servedPlaces, type ServedPlaces } from '../webhook/dispatch/served-places.js';

/** What `FORGE_REPOS` serves, with the ids that are known of those it names. @param onUnreadable for the file of these ids */
export function placesOfConfig(
  { BOT_BOTTLE_HOME, FORGE_REPOS }: Pick<Config, 'BOT_BOTTLE_HOME' | 'FORGE_REPOS'>,
  onUnreadable: (error: unknown) => void,
  onError: (message: string, error: unknown) => void,
): ServedPlaces {
  const file = path.join(BOT_BOTTLE_HOME, 'repositories.json');
  return servedPlaces(FORGE_REPOS, knownRepositoriesFile(file, onUnreadable), onError);
}
