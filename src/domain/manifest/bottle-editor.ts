import type { EgressChange } from '../supervise/config-change.js';

/** Writes what was agreed to into the manifest of a bottle, so that later runs have it. */
export interface BottleEditor {
  /**
   * @param bottles of the run, as they are merged
   * @param manifest name of the one to change; `undefined` for the last one that has such a list, else the bottle's own
   * @throws InvalidInputError with what stands in the way
   */
  plan(bottles: readonly string[], manifest: string | undefined, change: EgressChange): Promise<ManifestEdit>;
}

export interface ManifestEdit {
  readonly file: string;
  /** As `diff -u` shows it; empty when the manifest says so already. */
  readonly diff: string;
  /** Replaces the file in one step. Errors: `InvalidInputError` when it was changed meanwhile; the file system's. */
  write(): Promise<void>;
}
