/**
 * What a setting such as `FORGE_REPOS` names: `*` for all of them, `owner/*` or `owner/repo`. Upper and lower case are one,
 * as on the forge.
 */
export function servedRepositories(patterns: readonly string[]): (owner: string, repo: string) => boolean {
  const named = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  return (owner, repo) =>
    ['*', `${owner}/*`, `${owner}/${repo}`].some((pattern) => named.has(pattern.toLowerCase()));
}
