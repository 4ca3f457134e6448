/** Repositories that `FORGE_REPOS` names one by one, by the ids that the forge gave them: a name may go over to another. */

/** By `owner/repo` in lower case: the ids of those that had this name, the latest last. */
export type KnownRepositories = Readonly<Record<string, readonly number[]>>;

export interface RepositoryMemory {
  load(): KnownRepositories;
  /** Durable. */
  save(known: KnownRepositories): Promise<void>;
}

/** More than that had one name never; whoever makes and deletes them does not fill a file. */
const MOST_OF_A_NAME = 10;

/** The same object when nothing is new. */
export function withId(known: KnownRepositories, name: string, id: number): KnownRepositories {
  const ids = known[name] ?? [];
  return ids.includes(id) ? known : { ...known, [name]: [...ids, id].slice(-MOST_OF_A_NAME) };
}

/** What is no longer named is forgotten. */
export function onlyNamed(known: KnownRepositories, names: ReadonlySet<string>): KnownRepositories {
  return Object.fromEntries(Object.entries(known).filter(([name]) => names.has(name)));
}

/** Those of `FORGE_REPOS` that are no patterns. */
export function namedOneByOne(patterns: readonly string[]): ReadonlySet<string> {
  return new Set(patterns.filter((name) => !name.includes('*')).map((name) => name.toLowerCase()));
}
