import { InvalidInputError } from '../../domain/base/errors.js';
import type { AdminTarget } from '../../domain/forge/forge-admin.js';
import { isOwnerName, parseRepoName } from '../../domain/forge/issue.js';

/**
 * What to set up: what the command line names, else the repositories that `FORGE_REPOS` names one by one.
 * Errors: `InvalidInputError` for what is no name, and when there is nothing to act on.
 */
export function targetsOf(
  args: readonly string[],
  org: string | undefined,
  repos: readonly string[],
): AdminTarget[] {
  if (org !== undefined && !isOwnerName(org))
    throw new InvalidInputError('--org takes the name of an organization');
  const named = new Map(args.map((arg) => [arg.toLowerCase(), repoOf(arg)]));
  const orgs: AdminTarget[] = org === undefined ? [] : [{ kind: 'org', org }];
  if (named.size > 0 || orgs.length > 0) return [...orgs, ...named.values()];
  const literal = repos.filter((pattern) => !pattern.includes('*'));
  if (literal.length > 0) return literal.map(repoOf);
  throw new InvalidInputError(
    `nothing to set up: FORGE_REPOS (${repos.join(', ')}) names no single repository. Name them, as in ` +
      'bot-bottle forge setup owner/repo, or --org NAME for all repositories of an organization',
  );
}

function repoOf(text: string): AdminTarget {
  const name = parseRepoName(text);
  if (name === undefined)
    throw new InvalidInputError(`expected owner/repo, not ${JSON.stringify(text.slice(0, 100))}`);
  return { kind: 'repo', ...name };
}
