export interface Remote {
  readonly url: string;
  readonly token: string;
  readonly caFile: string | undefined;
  /** Of a directory of this machine: what git reads as the user's configuration. */
  readonly configFile?: string;
  /** `gitea:owner/repo`, for messages. */
  readonly name: string;
}
