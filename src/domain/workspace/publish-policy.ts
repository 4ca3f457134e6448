import { foldedLetters } from '../text/folded-letters.js';
import { cleanText } from '../text/untrusted-text.js';

/**
 * What an agent's commits may touch. Pushing a branch runs CI with the repository's secrets, so files that say what CI
 * runs, who must review and where submodules come from are not published unless the bottle allows them. Neither
 * are the roles that a repository brings: an agent would write what its next life obeys.
 */

/** Directories at the root of a repository that a forge, its CI or the orchestrator reads. */
const DIRECTORIES = ['.gitea', '.forgejo', '.github', '.bot-bottle'];
/** Names at the root whose beginning is enough: `.woodpecker/`, `.woodpecker.yml`, `.drone.star` and the like. */
const PREFIXES = ['.woodpecker', '.drone'];
const FILES = ['.gitlab-ci.yml', '.gitmodules'];
/** Where Gitea, Forgejo, GitHub and GitLab look for CODEOWNERS (the forges' own directories are covered above). */
const CODEOWNERS = ['codeowners', 'docs/codeowners', '.gitlab/codeowners'];

/**
 * Whether a path, as git gives it, is one that a forge, CI or the orchestrator acts on. Letters count whatever their case
 * and form.
 */
export function isProtectedPath(path: string): boolean {
  // A disk that folds letters takes these for the same.
  const lower = foldedLetters(path);
  const root = lower.split('/', 1)[0] ?? '';
  return (
    DIRECTORIES.includes(root) ||
    PREFIXES.some((prefix) => root.startsWith(prefix)) ||
    FILES.includes(root) ||
    // A symbolic link or a submodule in the place of the directory counts as well.
    CODEOWNERS.some((file) => lower === file || lower.startsWith(`${file}/`))
  );
}

/**
 * Whether one of the operator's patterns covers the path, letter case included. `*` and `?` stay within a path segment,
 * `**` is any number of whole segments, a pattern that ends in `/` covers everything below it.
 */
export function isAllowedPath(path: string, allowPaths: readonly string[]): boolean {
  const segments = path.split('/');
  return allowPaths.some((pattern) => {
    const glob = pattern.endsWith('/') ? `${pattern}**` : pattern;
    return matchList(glob.replace(/^\.?\//, '').split('/'), segments, '**', matchSegment);
  });
}

/** The paths that may not be published, in the order given, each once. */
export function refusedPaths(paths: Iterable<string>, allowPaths: readonly string[]): string[] {
  const refused = new Set<string>();
  for (const path of paths) {
    if (isProtectedPath(path) && !isAllowedPath(path, allowPaths)) refused.add(path);
  }
  return [...refused];
}

/** What a directory entry can be on the usual file systems, and a path on macOS; bytes. */
const MAX_NAME = 255;
const MAX_PATH = 1024;
/** Seen as nothing or as a common space, though not among what is taken out of texts: other spaces, and Braille's blank. */
const BLANK = /(?! )\p{Z}|\u2800/u;

/**
 * What is wrong with a path, to be read after `a file with`: names that deceive who reads a list of them, that no disk
 * takes, or that git writes in quotes (gitleaks 8.30 passes over a file whose name ends in a backslash, and says nothing).
 */
export function nameObjection(path: string): string | undefined {
  if (/[\p{Cc}"\\]/u.test(path)) return 'a quotation mark, a backslash or a control character in its name';
  if (path.includes('\uFFFD')) return 'a name that is not UTF-8';
  const unseen = BLANK.exec(path)?.[0] ?? firstRemoved(path, cleanText(path).text);
  if (unseen !== undefined) return `a character that nobody sees (${codePoint(unseen)}) in its name`;
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  if (path.split('/').some((name) => bytes(name) > MAX_NAME))
    return `more than ${String(MAX_NAME)} bytes in one part of its name`;
  if (bytes(path) > MAX_PATH) return `more than ${String(MAX_PATH)} bytes in its name`;
  return undefined;
}

function firstRemoved(text: string, kept: string): string | undefined {
  if (text === kept) return undefined;
  const left = Array.from(kept);
  return Array.from(text).find((character, index) => character !== left[index]);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function matchSegment(pattern: string, segment: string): boolean {
  return matchList(
    Array.from(pattern),
    Array.from(segment),
    '*',
    (glob, letter) => glob === '?' || glob === letter,
  );
}

/** Wildcard match that goes back to the last wildcard only: at most pattern times text steps, whatever the input. */
function matchList(
  pattern: readonly string[],
  text: readonly string[],
  wildcard: string,
  matchOne: (pattern: string, text: string) => boolean,
): boolean {
  let p = 0;
  let t = 0;
  let retryPattern = -1;
  let retryText = 0;
  while (t < text.length) {
    const glob = pattern[p];
    const item = text[t] ?? '';
    if (glob === wildcard) {
      retryPattern = ++p;
      retryText = t;
    } else if (glob !== undefined && matchOne(glob, item)) {
      p += 1;
      t += 1;
    } else if (retryPattern >= 0) {
      p = retryPattern;
      retryText += 1;
      t = retryText;
    } else {
      return false;
    }
  }
  while (pattern[p] === wildcard) p += 1;
  return p === pattern.length;
}
