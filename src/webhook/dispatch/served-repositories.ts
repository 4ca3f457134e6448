import { InvalidInputError } from '../../domain/base/errors.js';

const PATTERN = /^(?:\*|[A-Za-z0-9._*-]+\/[A-Za-z0-9._*-]+)$/;

/**
 * `FORGE_REPOS`: patterns like `owner/*` or `alice/demo`, or `*` alone for all of them; `*` for any run of characters but the slash; upper and lower
 * case are one, as on the forge. An empty list serves every repository that the webhook delivers.
 * Errors: `InvalidInputError` for something that is not `owner/name`.
 */
export function servedRepositories(patterns: readonly string[]): (owner: string, repo: string) => boolean {
  const matchers = patterns.map((pattern) => {
    if (!PATTERN.test(pattern)) {
      throw new InvalidInputError(`FORGE_REPOS: "${pattern}" is not a pattern like owner/* or owner/name`);
    }
    if (pattern === '*') return /^/;
    const escaped = pattern.replace(/[.]/g, '\\.').replace(/\*+/g, '[^/]*');
    return new RegExp(`^${escaped}$`, 'i');
  });
  return (owner, repo) =>
    matchers.length === 0 || matchers.some((matcher) => matcher.test(`${owner}/${repo}`));
}
