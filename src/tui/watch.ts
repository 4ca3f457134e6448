/** Keeps the state as the world is: rows every second, workflows of the runs that are seen less often. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DashboardDesk, LiveRun } from '../cli/base/orchestrator.js';
import { firstEffect } from '../cli/base/proposal-words.js';
import { failureOf } from '../cli/base/errors.js';
import { effectOf } from '../domain/supervise/change-effect.js';
import { withDecision, withDetail, withEffect, withLive, withRows, withRowsAway } from './model/arrive.js';
import { proposalsSeen, runsSeen } from './model/choice.js';
import { keyOf } from './model/state.js';
import type { Store } from './store.js';

const ROWS_MS = 1_000;
const LIVE_MS = 3_000;
const FRAME_MS = 50;
const EFFECT_CHARACTERS = 100;
const UNREADABLE = 'cannot be read';

/** Ends when the signal aborts. What fails is told in the state, and asked again. */
export async function watch(desk: DashboardDesk, store: Store, ended: AbortSignal): Promise<void> {
  const stopEffects = readEffects(desk, store);
  try {
    // What is stored is on the screen before the first workflow is asked: the client for that takes a moment to load, and no
    // key is read meanwhile.
    await readRows(desk, store);
    await sleep(FRAME_MS);
    await Promise.all([
      every(ROWS_MS, ended, () => readRows(desk, store)),
      every(LIVE_MS, ended, () => askWorkflows(desk, store)),
    ]);
  } finally {
    stopEffects();
  }
}

async function every(ms: number, ended: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!ended.aborted) {
    await work();
    await sleep(ms, undefined, { signal: ended }).catch(() => undefined);
  }
}

async function readRows(desk: DashboardDesk, store: Store): Promise<void> {
  try {
    const [runs, waiting] = await Promise.all([desk.overview(), desk.waiting()]);
    store.update((state) => withRows(state, { runs, waiting }, Date.now()));
    await lookForDecision(desk, store);
  } catch (error) {
    const problem = `the rows cannot be read, these may be old: ${failureOf(error).message}`;
    store.update((state) => withRowsAway(state, problem, Date.now()));
  }
}

/** The open one is not among those that wait any more: somebody decided it, perhaps we. */
async function lookForDecision(desk: DashboardDesk, store: Store): Promise<void> {
  const { opened, waiting } = store.state();
  if (opened === null || opened.decision !== null) return;
  const { row } = opened;
  if (waiting.some((one) => keyOf(one) === keyOf(row))) return;
  const found = (await desk.findProposals(row.id)).find((one) => keyOf(one) === keyOf(row));
  const decision = found?.decision ?? null;
  if (found === undefined || decision === null) return;
  // For what was said with it.
  const detail = await desk.proposal(found).catch(() => null);
  store.update((state) => {
    const decided = withDecision(state, row, decision);
    return detail === null ? decided : withDetail(decided, row, detail);
  });
}

async function askWorkflows(desk: DashboardDesk, store: Store): Promise<void> {
  const runs = runsSeen(store.state()).entries.filter((run) => run !== null);
  const answers = await Promise.allSettled(runs.map((run) => desk.live(run)));
  const live = new Map<string, LiveRun>();
  let problem: string | null = null;
  for (const [index, answer] of answers.entries()) {
    const slug = runs[index]?.slug ?? '';
    if (answer.status === 'rejected') problem = failureOf(answer.reason).message;
    else if (answer.value !== null) live.set(slug, answer.value);
  }
  store.update((state) => withLive(state, live, problem));
}

/** Of the proposals that are seen, once each: a blob never changes. What cannot be read is tried again at the next change. */
function readEffects(desk: DashboardDesk, store: Store): () => void {
  const begun = new Set<string>();
  return store.subscribe(() => {
    for (const row of proposalsSeen(store.state()).entries) {
      if (begun.has(row.ref)) continue;
      begun.add(row.ref);
      desk
        .proposal({ ...row, decision: null })
        .then(({ shown }) => firstEffect(effectOf(shown), EFFECT_CHARACTERS))
        .then((effect) => store.update((state) => withEffect(state, row.ref, effect)))
        .catch(() => {
          // Told once: each change of the state is when others that failed are read again.
          if (!store.state().effects.has(row.ref))
            store.update((state) => withEffect(state, row.ref, UNREADABLE));
          begun.delete(row.ref);
        });
    }
  });
}
