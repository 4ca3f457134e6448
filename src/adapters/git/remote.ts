export interface Remote {
  readonly url: string;
  readonly token: string;
  readonly caFile: string | undefined;
  /** `gitea:owner/repo`, for messages. */
  readonly name: string;
}
