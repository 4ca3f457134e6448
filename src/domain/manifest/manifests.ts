import type { ResourceLimits } from '../bottle/bottle-runtime.js';
import type { BottleSetup } from '../bottle/bottle-setup.js';
import type { Audience } from '../forge/access.js';
import type { DiskRequest } from '../bottle/disk-usage.js';

export interface AgentManifest {
  readonly name: string;
  /** In the order in which they are looked at: the first whose model's key is there plays the agent. */
  readonly providers: readonly string[];
  /** `null` wherever there are several providers: it is one provider's word. So is `variant`. */
  readonly model: string | null;
  /** How much the model is to think, where the provider knows such a thing. */
  readonly variant: string | null;
  readonly bottle: string;
  readonly gitUser: { readonly name: string; readonly email: string };
  readonly limits: AgentLimits;
  readonly prompt: string;
}

/** Milliseconds, at most the operator's own; `null` for those. */
export interface AgentLimits {
  readonly turnTimeoutMs: number | null;
  readonly watchdogMs: number | null;
}

export interface BottleManifest extends BottleSetup {
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  readonly disk: DiskRequest;
  readonly publish: {
    readonly allowPaths: readonly string[];
    readonly drafts: boolean;
    readonly base: string | null;
  };
  /** Who may wake the agent, in the place of `FORGE_WAKE`; `null` for that. */
  readonly forgeWake: Audience | null;
  /** Whether failed checks wake it. */
  readonly checksWake: boolean;
  /** Whose texts on the forge the agent may read: everybody's, or those of people who may wake it. */
  readonly forgeRead: 'all' | 'allowed';
}

export interface Manifests {
  agent(name: string): Promise<AgentManifest | undefined>;
  /** Several are merged left to right: lists joined, scalars from the last. `undefined` when one is unknown. */
  bottle(names: readonly string[]): Promise<BottleManifest | undefined>;
}
