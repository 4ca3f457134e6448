/**
 * Which submodules a workspace gets. `.gitmodules` and the tree are text of whoever can write to the repository, so they
 * only choose among repositories of the one forge that may be read for them: an address is taken apart, never used.
 */
import { parseRepoName, type RepoRef } from '../forge/issue.js';

/** Submodules of one workspace, those of submodules included. */
export const MAX_SUBMODULES = 20;
/** Submodules, and submodules of submodules. */
export const MAX_SUBMODULE_LEVELS = 2;
/** Bytes of a `.gitmodules` that is read. */
export const MAX_GITMODULES_BYTES = 64 * 1024;

/** A tree's entry for a submodule. */
export interface Gitlink {
  readonly path: string;
  readonly commit: string;
}

export interface DeclaredSubmodule {
  readonly name: string;
  readonly path: string;
  readonly url: string;
}

export interface WantedSubmodule extends Gitlink {
  readonly name: string;
  readonly repo: RepoRef;
}

/** What stays empty in the workspace, and why; `path` is the repository's text. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** One that is placed by the entrypoint. Paths are relative to the workspace. */
export interface PlacedSubmodule {
  /** Of the repository it belongs to, empty for the workspace itself. */
  readonly parent: string;
  /** Below the parent. */
  readonly path: string;
  readonly name: string;
  /** Its address on the forge, for people and tools; nothing is fetched from it. */
  readonly url: string;
  readonly commit: string;
  /** File of the turn's input. */
  readonly bundle: string;
}

export interface TurnSubmodules {
  /** A parent stands before what is in it. */
  readonly placed: readonly PlacedSubmodule[];
  readonly leftOut: readonly LeftOut[];
}

export const NO_SUBMODULES: TurnSubmodules = { placed: [], leftOut: [] };

/** Pairs of key and value, in order, as `git config -z --list` prints them: `key LF value NUL`. */
export function parseGitmodules(listing: string): readonly DeclaredSubmodule[] {
  const found = new Map<string, { path: string[]; url: string[] }>();
  for (const entry of listing.split('\0')) {
    const lineFeed = entry.indexOf('\n');
    const key = lineFeed === -1 ? entry : entry.slice(0, lineFeed);
    const [, name, variable] = /^submodule\.(.*)\.(path|url)$/s.exec(key) ?? [];
    if (name === undefined || (variable !== 'path' && variable !== 'url')) continue;
    const values = found.get(name) ?? { path: [], url: [] };
    values[variable].push(lineFeed === -1 ? '' : entry.slice(lineFeed + 1));
    found.set(name, values);
  }
  // One that is said twice is one that two readers could take for two different ones.
  return [...found].flatMap(([name, { path, url }]) => {
    const [onePath, secondPath] = path;
    const [oneUrl, secondUrl] = url;
    return onePath === undefined || secondPath !== undefined
      ? []
      : [{ name, path: onePath, url: secondUrl === undefined ? (oneUrl ?? '') : '' }];
  });
}

export interface Superproject {
  readonly repo: RepoRef;
  /** Address of the forge's pages and repositories, no trailing slash. */
  readonly webUrl: string;
}

/** Sorts the submodules of one commit. Whether a repository may be read, and has the commit, is seen later. */
export function chooseSubmodules(
  gitlinks: readonly Gitlink[],
  declared: readonly DeclaredSubmodule[],
  superproject: Superproject,
): { readonly wanted: readonly WantedSubmodule[]; readonly leftOut: readonly LeftOut[] } {
  const wanted: WantedSubmodule[] = [];
  const leftOut: LeftOut[] = [];
  for (const { path, commit } of gitlinks) {
    const decision = decide(path, declared, superproject);
    if ('reason' in decision) leftOut.push({ path, reason: decision.reason });
    else wanted.push({ path, commit, ...decision });
  }
  const inTree = new Set(gitlinks.map(({ path }) => path));
  for (const { path } of declared) {
    if (!inTree.has(path)) leftOut.push({ path, reason: 'the commit has no submodule at this path' });
  }
  return { wanted, leftOut };
}

type Decision = { readonly name: string; readonly repo: RepoRef } | { readonly reason: string };

function decide(path: string, declared: readonly DeclaredSubmodule[], superproject: Superproject): Decision {
  const [entry, second] = declared.filter((one) => one.path === path);
  if (entry === undefined)
    return { reason: '.gitmodules has no entry with its path, or one that says it twice' };
  if (second !== undefined) return { reason: '.gitmodules has two entries with its path' };
  if (!isPlainPath(path)) return { reason: 'its path has parts or characters that are not placed' };
  if (!isPlainPath(entry.name)) return { reason: 'its name has parts or characters that are not placed' };
  const others = declared.filter((one) => one !== entry);
  if (others.some((other) => isInside(entry.name, other.name) || isInside(other.name, entry.name)))
    return { reason: 'its name and another submodule’s lie inside each other' };
  const address = submoduleRepository(entry.url, superproject);
  return 'reason' in address ? address : { name: entry.name, repo: address };
}

/** Whatever a file system makes of letter case. Its repository lies in a directory of its name. */
function isInside(name: string, other: string): boolean {
  return `${name.toLowerCase()}/`.startsWith(`${other.toLowerCase()}/`);
}

/** Below its repository, on every file system; never something that git or a shell could read otherwise. */
function isPlainPath(path: string): boolean {
  return (
    path.length <= 500 &&
    path.split('/').every((part) => /^[A-Za-z0-9_.][A-Za-z0-9_.+ -]{0,199}$/.test(part) && !isReserved(part))
  );
}

/** `.git` and what some file systems take for it, as git's own check has it (`git~1` is the short name on NTFS). */
function isReserved(part: string): boolean {
  return /^(?:\.{1,2}|\.git|git~[0-9]+)[. ]*$/i.test(part);
}

const RELATIVE = /^\.\.?\//;
const NOT_READ = 'only the http(s) address of a repository of this forge, or a relative one, is read';

/** The repository that an address of `.gitmodules` stands for, resolved as git does it. */
export function submoduleRepository(
  url: string,
  { repo, webUrl }: Superproject,
): RepoRef | { readonly reason: string } {
  if (url === '') return { reason: '.gitmodules has no address for it, or two' };
  const full = RELATIVE.test(url) ? resolved(url, `${webUrl}/${repo.owner}/${repo.repo}.git`) : url;
  if (!/^https?:\/\//i.test(full)) return { reason: `its address is another kind of address: ${NOT_READ}` };
  // Whatever a URL parser would clean up silently.
  if (!/^[A-Za-z0-9:/._~@[\]-]+$/.test(full) || !URL.canParse(full))
    return { reason: `its address has characters that are not read: ${NOT_READ}` };
  const [there, here] = [new URL(full), new URL(webUrl)];
  if (full.includes('@')) return { reason: 'its address has a user or a password in it: take them out' };
  if (there.origin !== here.origin) return { reason: `it is not on this forge: ${NOT_READ}` };
  const below = here.pathname.replace(/\/$/, '');
  if (!there.pathname.startsWith(`${below}/`)) return { reason: `it is not on this forge: ${NOT_READ}` };
  const name = parseRepoName(there.pathname.slice(below.length + 1).replace(/(?:\.git)?\/?$/, ''));
  return name === undefined
    ? { reason: 'its address is not that of a repository (owner/name)' }
    : { forge: repo.forge, ...name };
}

/** git-submodule(1): `./` and `../` count from the address of the repository that the submodule is in. */
function resolved(url: string, base: string): string {
  let left = base;
  let rest = url;
  while (RELATIVE.test(rest)) {
    if (rest.startsWith('../')) left = left.slice(0, Math.max(0, left.lastIndexOf('/')));
    rest = rest.slice(rest.indexOf('/') + 1);
  }
  return `${left}/${rest}`;
}

/**
 * Whose rights a submodule is read with. Whoever can write to a repository names its submodules, so the bot's own rights
 * count only for that repository itself and for those that the operator named; all others must be readable by anybody.
 */
export function submoduleReader(wanted: RepoRef, own: RepoRef, named: readonly string[]): 'bot' | 'anybody' {
  const key = ({ owner, repo }: RepoRef): string => `${owner}/${repo}`.toLowerCase();
  return [key(own), ...named.map((name) => name.toLowerCase())].includes(key(wanted)) ? 'bot' : 'anybody';
}

/** git's cone mode: everything below a directory of the list, and the files beside and above it. */
export function isInCone(path: string, sparse: readonly string[]): boolean {
  if (sparse.length === 0) return true;
  const end = path.lastIndexOf('/');
  const directory = end === -1 ? '' : path.slice(0, end);
  return sparse.some(
    (one) =>
      directory === '' || `${directory}/`.startsWith(`${one}/`) || `${one}/`.startsWith(`${directory}/`),
  );
}
