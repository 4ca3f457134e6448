/** What waits for a person, and the ways to tell one. */
import type { FrozenRun, HookName } from '../run/notices.js';
import type { ProposalRow } from '../run/rows.js';

/** Something that waits for a person. `id` is the same however often it is told, and of nothing else. */
export type Waiting =
  | { readonly kind: 'proposal'; readonly id: string; readonly since: number; readonly row: ProposalRow }
  | { readonly kind: 'run'; readonly id: string; readonly since: number; readonly run: FrozenRun };

/** What a hook is given. */
export interface Message {
  readonly id: string;
  /** One JSON object. */
  readonly body: string;
}

export type Sent =
  | { readonly kind: 'told' }
  /** @property retryAfterMs as the receiver asked; `null` when it did not */
  | { readonly kind: 'again'; readonly why: string; readonly retryAfterMs: number | null }
  /** Trying again is of no use. */
  | { readonly kind: 'final'; readonly why: string };

export interface Hook {
  readonly name: HookName;
  /** Never rejects. Broken off by the signal it answers `again`. */
  send(message: Message, stopped: AbortSignal): Promise<Sent>;
}
