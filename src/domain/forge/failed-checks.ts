/** Which checks of a pull request are the run's to mend: they fail on its head, and not on its base branch as well. */
import type { Forge } from './forge.js';
import type { CheckStatus, PullRequest } from './issue.js';

const FAILED: ReadonlySet<CheckStatus['state']> = new Set(['failure', 'error']);

export function isFailed({ state }: Pick<CheckStatus, 'state'>): boolean {
  return FAILED.has(state);
}

/** Failing on `head` and not, under the same name, on `base`; ordered by name. */
export function failedChecks(head: readonly CheckStatus[], base: readonly CheckStatus[]): CheckStatus[] {
  const before = new Set(base.filter(isFailed).map(({ context }) => context));
  return head
    .filter((check) => isFailed(check) && !before.has(check.context))
    .sort((a, b) => (a.context < b.context ? -1 : 1));
}

/** The same, read from the forge. The base is not asked about where nothing fails. */
export async function readFailedChecks(
  forge: Pick<Forge, 'readStatuses'>,
  { head, base }: Pick<PullRequest, 'head' | 'base'>,
): Promise<CheckStatus[]> {
  const statuses = await forge.readStatuses(head.sha);
  if (!statuses.some(isFailed)) return [];
  return failedChecks(statuses, await forge.readStatuses(base.sha));
}
