/** What is marked while it is under way, and what people read of it. */
import type { QueueMessage } from '../../domain/run/queue.js';
import type { Work } from '../../domain/run/under-way.js';

/** The gate's work on an `open_pr`. */
export function openPrWork({ slug, requestId }: { readonly slug: string; readonly requestId: string }): Work {
  return { slug, key: `open_pr-${requestId}`, what: `open_pr ${requestId}` };
}

const MESSAGES = {
  done: 'signal_done',
  text: 'the check of a text',
  proposal: 'a proposal',
  operations: 'the operation log',
  egress: 'the egress report',
} as const;

/** A message of the sidecar, of whatever kind. */
export function messageWork(slug: string, { id, body }: QueueMessage): Work {
  if (body.kind === 'open_pr') return openPrWork({ slug, requestId: id });
  return { slug, key: `message-${id}`, what: `${MESSAGES[body.kind]} ${id}` };
}

/** Of a run, whatever its turn. */
const STEPS_OF_RUN = {
  'keep-commits': 'keeping its unpublished commits',
  'keep-queue': 'keeping the messages of its queue',
  look: 'the look at what the run has here',
  archive: 'putting its containers away',
} as const;

export function stepOfRun(slug: string, step: keyof typeof STEPS_OF_RUN): Work {
  return { slug, key: step, what: STEPS_OF_RUN[step] };
}

const STEPS = {
  prepare: 'preparing',
  begin: 'beginning',
  read: 'reading the output of',
  end: 'collecting',
  settle: 'settling',
} as const;

export function stepOfTurn(
  { slug, turn }: { readonly slug: string; readonly turn: number },
  step: keyof typeof STEPS,
): Work {
  const work = { slug, key: `${step}-${String(turn)}`, what: `${STEPS[step]} turn ${String(turn)}` };
  return step === 'read' ? { ...work, isBackground: true } : work;
}

/** Of what operators agreed to, which is known by the last of it: one that is taken back leaves another one the last. */
export function stepOfChange({
  slug,
  changes,
}: {
  readonly slug: string;
  readonly changes: readonly string[];
}): Work {
  const last = changes.at(-1);
  const what = last === undefined ? 'no change' : `change ${last.slice(0, 12)}`;
  return { slug, key: `apply-${last ?? 'none'}`, what: `applying ${what}` };
}
