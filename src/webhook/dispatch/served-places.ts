import {
  namedOneByOne,
  onlyNamed,
  withId,
  type RepositoryMemory,
} from '../../domain/forge/known-repositories.js';
import type { Place } from '../../domain/forge/issue.js';
import { servedRepositories } from './served-repositories.js';

export interface ServedPlaces {
  /** By its name, or since it had a name of `FORGE_REPOS` when something came from it: renamed or transferred, it is the same one. */
  readonly serves: (place: Place) => boolean;
  /** Something came from there. */
  readonly saw: (place: Place) => void;
}

/** @param patterns `FORGE_REPOS`. Errors: the memory's. */
export function servedPlaces(
  patterns: readonly string[],
  memory: RepositoryMemory,
  onError: (message: string, error: unknown) => void,
): ServedPlaces {
  const isNamed = servedRepositories(patterns);
  const names = namedOneByOne(patterns);
  let known = onlyNamed(memory.load(), names);
  let saved: Promise<void> = Promise.resolve();
  return {
    serves: ({ owner, repo, repoId }) =>
      isNamed(owner, repo) || Object.values(known).some((ids) => ids.includes(repoId)),
    saw: ({ owner, repo, repoId }) => {
      const name = `${owner}/${repo}`.toLowerCase();
      const learnt = names.has(name) ? withId(known, name, repoId) : known;
      if (learnt === known) return;
      known = learnt;
      // One after the other: the latest is what stays.
      saved = saved
        .then(() => memory.save(learnt))
        .catch((error: unknown) => {
          onError('the ids of FORGE_REPOS could not be saved', error);
        });
    },
  };
}
