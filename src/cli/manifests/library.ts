/** Manifests as the commands see them. */
import type { ManifestValue } from '../../domain/manifest/manifest-view.js';

export type ManifestKind = 'agents' | 'bottles';

export interface ListedManifest {
  readonly name: string;
  /** `null` when it cannot be read. */
  readonly file: string | null;
  /** Provider and bottle of an agent, what a bottle extends. */
  readonly about: string;
  /** Of an agent that can be read; `null` of others and of bottles. */
  readonly now: PlayedBy | null;
  /** Why it cannot be used; `null` when it can. */
  readonly problem: string | null;
}

/** What would play an agent if it were triggered now. */
export interface PlayedBy {
  /** `null`: nothing, it cannot run. */
  readonly provider: string | null;
  /** `anthropic-api-key is set`, or what to do. */
  readonly why: string;
}

export interface ShownManifest {
  readonly name: string;
  /** What it is merged from, in order. */
  readonly layers: readonly { readonly name: string; readonly file: string }[];
  readonly values: readonly ManifestValue[];
  /** Of an agent; `null` of bottles. */
  readonly now: PlayedBy | null;
  /** Of an agent its prompt, of a bottle the words for people. */
  readonly body: string;
}

export interface ManifestFinding {
  /** A problem keeps the manifest from being used. */
  readonly level: 'problem' | 'warning';
  /** `file:line: what`. */
  readonly message: string;
}

export interface ManifestLibrary {
  list(kind: ManifestKind): Promise<readonly ListedManifest[]>;
  /** Several bottles are merged. `undefined` when one does not exist. Errors: `ManifestError`. */
  show(kind: ManifestKind, names: readonly string[]): Promise<ShownManifest | undefined>;
  /** @returns `undefined` when there is no such manifest */
  check(kind: ManifestKind, name: string): Promise<readonly ManifestFinding[] | undefined>;
  /** Files whose names no manifest can have. */
  misnamed(kind: ManifestKind): Promise<readonly ManifestFinding[]>;
}
