import type { ForgeKind } from '../../domain/forge/issue.js';
import type { FindingDoor } from '../../domain/upkeep/reconcile.js';
import { digestOf } from './plan-findings.js';
import type { Planned } from './plan-findings.js';
import { PassEnded } from './request-budget.js';

/** Digests that are remembered: some days of a busy forge, 32 KiB. The door itself knows 90 days. */
const REMEMBERED = 2_000;

/** Posts findings, those that the door has had lately left out. */
export class PostBox {
  accepted = 0;
  known = 0;
  readonly #posted: Set<string>;

  constructor(
    private readonly door: FindingDoor,
    private readonly forge: ForgeKind,
    posted: readonly string[],
  ) {
    this.#posted = new Set(posted);
  }

  /** Latest last. */
  get posted(): readonly string[] {
    return [...this.#posted].slice(-REMEMBERED);
  }

  /** Resolves with whether any of them was new to us. Errors: `PassEnded`; then some may have been posted. */
  async post(findings: readonly Planned[]): Promise<boolean> {
    let fresh = false;
    for (const planned of findings) {
      const digest = digestOf(planned);
      const before = this.#posted.delete(digest);
      if (!before) {
        const verdict = await this.#send(planned);
        if (verdict === 'accepted') this.accepted += 1;
        else this.known += 1;
        fresh = true;
      }
      this.#posted.add(digest);
    }
    return fresh;
  }

  async #send(planned: Planned): Promise<'accepted' | 'known'> {
    try {
      return await this.door.post({ ...planned, forge: this.forge });
    } catch (cause) {
      throw new PassEnded('door', cause instanceof Error ? cause.message : 'the door refused a finding', {
        cause,
      });
    }
  }
}
