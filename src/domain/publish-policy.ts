/**
 * What an agent's commits may touch. Pushing a branch runs CI with the repository's secrets, so files that say what CI
 * runs, who must review and where submodules come from are not published unless the bottle allows them (spec 8).
 */

/** Directories at the root of a repository that a forge or its CI reads. */
const DIRECTORIES = ['.gitea', '.forgejo', '.github'];
/** Names at the root whose beginning is enough: `.woodpecker/`, `.woodpecker.yml`, `.drone.star` and the like. */
const PREFIXES = ['.woodpecker', '.drone'];
const FILES = ['.gitlab-ci.yml', '.gitmodules'];
/** Where Gitea, Forgejo, GitHub and GitLab look for CODEOWNERS (the forges' own directories are covered above). */
const CODEOWNERS = ['codeowners', 'docs/codeowners', '.gitlab/codeowners'];

/**
 * Whether a path, as git gives it, is one that a forge or CI acts on. Letters count whatever their case, since a
 * checkout on a case-insensitive disk makes no difference between them.
 */
export function isProtectedPath(path: string): boolean {
  const lower = path.toLowerCase();
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
