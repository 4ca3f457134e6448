import type { ResourceLimits } from './bottle-runtime.js';

export interface AgentManifest {
  readonly name: string;
  readonly provider: string;
  readonly model: string | null;
  readonly bottle: string;
  readonly gitUser: { readonly name: string; readonly email: string };
  readonly prompt: string;
}

export interface BottleManifest {
  readonly name: string;
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  readonly publish: {
    readonly allowPaths: readonly string[];
    readonly drafts: boolean;
    readonly base: string | null;
  };
}

export interface Manifests {
  agent(name: string): Promise<AgentManifest | undefined>;
  /** Several are merged left to right: lists joined, scalars from the last. `undefined` when one is unknown. */
  bottle(names: readonly string[]): Promise<BottleManifest | undefined>;
}
