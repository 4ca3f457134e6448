/** New turns are held back, of every run or of a repository's, until the operator says otherwise. */
import { isoTimeOf } from '../base/iso-time.js';
import { parseRepoName } from '../forge/issue.js';

/** Every run. */
export const EVERYWHERE = '*';

export interface PauseRow {
  /** `EVERYWHERE`, or `owner/repo` in lower case. */
  readonly scope: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** `user@host` */
  readonly who: string;
}

/** `owner/repo` as a scope; forges make no difference between upper and lower case. `undefined` when it is no name. */
export function scopeOf(repository: string): string | undefined {
  return parseRepoName(repository) && repository.toLowerCase();
}

/** The pause that holds a repository's runs back; the wider one where there are two. */
export function pauseOf(
  pauses: readonly PauseRow[],
  { owner, repo }: { readonly owner: string; readonly repo: string },
): PauseRow | undefined {
  const own = `${owner}/${repo}`.toLowerCase();
  return pauses.find(({ scope }) => scope === EVERYWHERE) ?? pauses.find(({ scope }) => scope === own);
}

/** For people: what is held back, by whom, and what ends it. */
export function pauseText({ scope, since, who }: PauseRow): string {
  const what = scope === EVERYWHERE ? 'new turns are' : `new turns of ${scope} are`;
  return `${what} paused by ${who} since ${isoTimeOf(since) ?? 'no valid time'}: ${unpauseCommand(scope)}`;
}

export function unpauseCommand(scope: string): string {
  return scope === EVERYWHERE ? 'bot-bottle unpause' : `bot-bottle unpause --repo ${scope}`;
}
