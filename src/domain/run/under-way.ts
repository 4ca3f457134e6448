/** What a worker works on for runs, marked where the next worker finds it: what kills worker after worker is set aside. */
import { BotBottleError } from '../base/errors.js';

/** One request or step of a run. */
export interface Work {
  readonly slug: string;
  /** Its name within the run: small letters, digits, `_` and `-`. */
  readonly key: string;
  /** For people: `open_pr request3`. */
  readonly what: string;
  /** It goes on beside other work of its run: what was under way at as many crashes is blamed before it. */
  readonly isBackground?: true;
}

/** While it is under way. */
export interface Mark {
  /** Another one for each worker process. */
  readonly worker: string;
  /** The machine's boot. */
  readonly boot: string;
  /** Workers before this one that died in it, since it last got further than ever before. */
  readonly crashes: number;
  /** How far it ever got. */
  readonly stages: readonly string[];
}

export interface UnderWay {
  /** Runs it with a mark on the disk. Two that may have killed a worker never run side by side. Errors: `SetAsideError`, and its own. */
  during<T>(work: Work, run: () => Promise<T>): Promise<T>;
  /** What is under way for the run has come that far: if never before, crashes before this do not count against it. */
  reached(slug: string, stage: string): Promise<void>;
  /** Why it is not tried again, for whoever waits for it; `null` otherwise. */
  whySetAside(work: Work): Promise<string | null>;
  /** The run is over: what earlier workers left of it is removed. */
  forget(slug: string): Promise<void>;
}

/** It was under way at this many crashes: it is not tried again. */
export const CRASHES_ALLOWED = 2;

/** Final: who tries it again loses another worker. */
export class SetAsideError extends BotBottleError {
  constructor(work: Work) {
    super('set_aside', setAsideReason(work), false);
  }
}

export function setAsideReason({ what }: Work): string {
  return `${what} was under way at two crashes of the worker`;
}

/** Crashes of a worker that count against the work, by the mark that was found. A reboot counts against nobody. */
export function crashesOf(mark: Mark | undefined, here: Pick<Mark, 'worker' | 'boot'>): number {
  if (mark === undefined) return 0;
  const died = mark.worker !== here.worker && mark.boot === here.boot;
  return mark.crashes + (died ? 1 : 0);
}

/** The mark after a stage; the same one when that was reached before. */
export function markAt(mark: Mark, stage: string): Mark {
  return mark.stages.includes(stage) ? mark : { ...mark, crashes: 0, stages: [...mark.stages, stage] };
}
