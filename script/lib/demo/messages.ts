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

/** What a home needs for a real CLI. */
export interface AgentSetup {
  /** `null` where the product has one. */
  readonly manifest: { readonly name: string; readonly text: string } | null;
  /** As environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  readonly key: {
    /** Name of the home's secret. */
    readonly secret: string;
    readonly value: string;
    /** `host:port` that it is bound to; `null` for the vendor's own. */
    readonly host: string | null;
  };
}

/** `begin`: `null` for the scripted agent. `keep`: live on when the demo has ended. */
export type ToKeeper =
  | { readonly kind: 'begin'; readonly agent: AgentSetup | null }
  | { readonly kind: 'keep' }
  | { readonly kind: 'stop' };
