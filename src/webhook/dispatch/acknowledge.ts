import { workflowIdOf } from '../../domain/forge/issue.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { Forge, ForgeReaction } from '../../domain/forge/forge.js';
import type { ActOrder } from '../../domain/forge/trigger.js';
import { RecentKeys } from './recent-keys.js';

export interface AcknowledgeDeps {
  /** `FORGE_ACK`: false for no reactions at all. */
  readonly ack: boolean;
  /** For `status --rejected`; `at` is the forge's time of the refused act: the same refusal has the same three values. */
  readonly onRejected: (subject: SubjectRef, reason: string, at: number) => Promise<void>;
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

  function doBeside(work: Promise<void>, failure: string): void {
    const done = work
      .catch((error: unknown) => {
        deps.onError(failure, error);
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  function react(forge: Pick<Forge, 'react'>, subject: SubjectRef, reaction: ForgeReaction): void {
    if (!deps.ack) return;
    doBeside(forge.react(subject.number, reaction), `no reaction could be left on ${workflowIdOf(subject)}`);
  }

  return {
    pickedUp: (forge, subject, { actAt, actId }) => {
      if (first(`${workflowIdOf(subject)} ${String(actAt)} ${String(actId)}`)) react(forge, subject, 'eyes');
    },
    refused: (forge, subject, reason, at) => {
      if (!first(`${workflowIdOf(subject)} ${String(at)} ${reason}`)) return;
      doBeside(
        deps.onRejected(subject, reason, at),
        `a refusal could not be recorded for ${workflowIdOf(subject)}`,
      );
      react(forge, subject, 'confused');
    },
    drained: async () => {
      await Promise.all(underWay);
    },
  };
}
