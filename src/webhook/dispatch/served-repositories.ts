/**
 * @param patterns `FORGE_REPOS`: `*`, `owner/*` or `owner/repo`; upper and lower case are one, as on the forge
 */
export function servedRepositories(patterns: readonly string[]): (owner: string, repo: string) => boolean {
  const served = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  return (owner, repo) =>
    ['*', `${owner}/*`, `${owner}/${repo}`].some((pattern) => served.has(pattern.toLowerCase()));
}
