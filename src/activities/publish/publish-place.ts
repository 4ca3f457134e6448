import type { PublishPlace } from '../../domain/forge/forks.js';
import type { PullRequest } from '../../domain/forge/issue.js';

/**
 * Why a run may not work on a pull request of ours: its branch is not where `FORGE_PUBLISH` publishes, as after a change
 * of the setting. `undefined` when it is.
 */
export function placeObjection(pull: PullRequest, publish: PublishPlace): string | undefined {
  const name = `pull request #${String(pull.number)}`;
  if (publish === 'fork' && !pull.head.fromFork)
    return `${name} is from a branch of the repository itself, where FORGE_PUBLISH=fork pushes nothing: close it, or set FORGE_PUBLISH to branch until it is done`;
  if (publish === 'branch' && pull.head.fromFork)
    return `${name} is from the bot’s fork, where FORGE_PUBLISH=branch pushes nothing: close it, or set FORGE_PUBLISH to fork until it is done`;
  return undefined;
}
