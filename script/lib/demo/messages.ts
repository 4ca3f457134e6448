/** What the demo and the process that keeps its servers say to each other. */

export interface Facts {
  readonly giteaUrl: string;
  readonly giteaVersion: string;
  readonly giteaDir: string;
  readonly home: string;
  readonly temporalAddress: string;
  readonly temporalUi: string;
  readonly webhookUrl: string;
  readonly botLogin: string;
  /** `owner/name` */
  readonly repo: string;
  readonly alice: { readonly login: string; readonly password: string; readonly token: string };
}

export type FromKeeper =
  | { readonly kind: 'forge_started'; readonly at: number; readonly facts: Facts }
  | { readonly kind: 'up'; readonly at: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'kept'; readonly recordFile: string };

/** `keep`: live on when the demo has ended. */
export type ToKeeper = { readonly kind: 'keep' } | { readonly kind: 'stop' };
