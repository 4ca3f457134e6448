import { workflowIdOf } from '../../domain/forge/issue.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { Forge, ForgeReaction } from '../../domain/forge/forge.js';
import type { ActOrder } from '../../domain/forge/trigger.js';
import { RecentKeys } from './recent-keys.js';

export interface AcknowledgeDeps {
  /** `FORGE_ACK`: false for no reactions at all. */
  readonly ack: boolean;
  /** For `status --rejected`; `at` is the forge's time of the refused act: the same refusal has the same three values. */
  readonly onRejected: (subject: SubjectRef, reason: string, at: number) => void;
  readonly onError: (message: string, error: unknown) => void;
}

/** Tells the people on the forge what became of a trigger, each once and never in the way of the start. */
export interface Acknowledger {
  pickedUp(forge: Pick<Forge, 'react'>, subject: SubjectRef, act: ActOrder): void;
  refused(forge: Pick<Forge, 'react'>, subject: SubjectRef, reason: string, at: number): void;
  /** Resolves when nothing is under way. */
  drained(): Promise<void>;
}

export function createAcknowledger(deps: AcknowledgeDeps): Acknowledger {
  const told = new RecentKeys<true>(10_000);
  const underWay = new Set<Promise<void>>();

  function first(key: string): boolean {
    if (told.get(key) === true) return false;
    told.set(key, true);
    return true;
  }

  function react(forge: Pick<Forge, 'react'>, subject: SubjectRef, reaction: ForgeReaction): void {
    if (!deps.ack) return;
    const work = forge
      .react(subject.number, reaction)
      .catch((error: unknown) => {
        deps.onError(`no reaction could be left on ${workflowIdOf(subject)}`, error);
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  return {
    pickedUp: (forge, subject, { actAt, actId }) => {
      if (first(`${workflowIdOf(subject)} ${String(actAt)} ${String(actId)}`)) react(forge, subject, 'eyes');
    },
    refused: (forge, subject, reason, at) => {
      if (!first(`${workflowIdOf(subject)} ${String(at)} ${reason}`)) return;
      try {
        deps.onRejected(subject, reason, at);
      } catch (error) {
        deps.onError(`a refusal could not be recorded for ${workflowIdOf(subject)}`, error);
      }
      react(forge, subject, 'confused');
    },
    drained: async () => {
      await Promise.all(underWay);
    },
  };
}
