import type { RepoRef } from '../../domain/forge/issue.js';

export interface Remote {
  readonly url: string;
  /** Empty for none. */
  readonly token: string;
  readonly caFile: string | undefined;
  /** Of a directory of this machine: what git reads as the user's configuration. */
  readonly configFile?: string;
  /** See `nameOf`. */
  readonly name: string;
  /** Ends the git that talks to it. */
  readonly signal?: AbortSignal | undefined;
}

/** `gitea:owner/repo`, or the path of a directory of this machine; for messages. */
export function nameOf({ forge, owner, repo, path }: RepoRef): string {
  return path ?? `${forge}:${owner}/${repo}`;
}
