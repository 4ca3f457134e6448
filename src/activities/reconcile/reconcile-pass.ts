import { ForgeHttpError } from '../../domain/base/errors.js';
import { sourceName } from '../../domain/forge/forge-feed.js';
import type { PassEnd, PassReport, ReconcileState } from '../../domain/upkeep/reconcile.js';
import { isWish, Pass } from './pass.js';
import type { KnownRun } from './plan-findings.js';
import { PostBox } from './post-box.js';
import { preparedState } from './prepare-state.js';
import type { ReconcilePorts } from './reconcile-ports.js';
import { counted, PassEnded, RequestBudget } from './request-budget.js';

/** A pass that takes longer is broken off and gone on with by the next: far below the activity's time-out. */
const PASS_MS = 90_000;
/** After 429 without a Retry-After. */
const WAIT_MS = 60_000;
/** No forge is left alone for longer, whatever it asks for. */
const MAX_WAIT_MS = 24 * 3_600_000;

interface Ending {
  readonly end: PassEnd;
  readonly detail: string | null;
  /** Epoch milliseconds. */
  readonly notBefore?: number;
}

/**
 * One pass of the reconciler: what changed on the forge since the pass before goes through the door
 * that deliveries come in by. What is posted was not decided on: the dispatcher reads everything fresh. The state is
 * saved once, after the door has everything that was found, so a crash before it repeats the pass, which does no harm.
 * Errors: the store's, and faults of ours. Forge, door and budget only end the pass.
 */
export async function reconcilePass(ports: ReconcilePorts, signal: AbortSignal): Promise<PassReport> {
  const { clock, store, settings } = ports;
  const startedAt = clock.now();
  const saved = await store.load();
  if (isLeftAlone(saved.notBefore, startedAt))
    return told(
      ports,
      report(saved, startedAt, startedAt, { end: 'limited', detail: until(saved.notBefore) }),
    );
  const budget = new RequestBudget(settings.requests, () => {
    if (signal.aborted) return 'stopped';
    return clock.now() - startedAt > PASS_MS ? 'time' : undefined;
  });
  const runs = await knownRuns(ports);
  const box = new PostBox(ports.door, ports.feed.forge, saved.posted);
  const pass = new Pass(
    {
      feed: counted(ports.feed, budget),
      box,
      runs,
      rowsOf: ({ repoId, owner, repo }, number) =>
        ports.database.forgeState.ofNumber({ forge: ports.feed.forge, owner, repo, number }, repoId),
      startedAt,
      onStep: () => {
        budget.nextStep();
      },
      sources: settings.sources,
      serves: settings.serves,
      onSkipped: (what, error) => {
        ports.log.warn({ what, status: error.status, err: error }, 'the reconciler cannot read this');
      },
    },
    preparedState({ ...saved, notBefore: null }, settings.sources.map(sourceName), runs),
  );
  const ending = await endOf(pass, () => clock.now()).catch(async (fault: unknown) => {
    await store.save(pass.state);
    throw fault;
  });
  const state = { ...pass.state, notBefore: ending.notBefore ?? null };
  await store.save(state);
  return told(ports, {
    ...report(state, startedAt, clock.now(), ending),
    findings: box.accepted,
    known: box.known,
    requests: budget.used,
  });
}

/** A time further ahead than any that is noted is of a clock that was set back since: nobody asked for that. */
function isLeftAlone(notBefore: number | null, now: number): notBefore is number {
  return notBefore !== null && now < notBefore && notBefore <= now + MAX_WAIT_MS;
}

async function endOf(pass: Pass, now: () => number): Promise<Ending> {
  try {
    await pass.run();
    return { end: 'done', detail: null };
  } catch (error) {
    if (error instanceof PassEnded) return { end: error.end, detail: error.detail };
    if (isWish(error)) {
      const notBefore = now() + Math.min(error.retryAfterMs ?? WAIT_MS, MAX_WAIT_MS);
      return { end: 'limited', detail: until(notBefore), notBefore };
    }
    if (error instanceof ForgeHttpError) return { end: 'forge', detail: error.message };
    throw error;
  }
}

/** Those that go on. */
async function knownRuns({ database, feed }: ReconcilePorts): Promise<KnownRun[]> {
  const living = (await database.forgeState.living()).filter((row) => row.forge === feed.forge);
  return Promise.all(
    living.map(async (row) => ({
      row,
      triggerAt: (await database.runs.run(row.slug))?.triggerAt ?? row.updatedAt,
    })),
  );
}

function report(state: ReconcileState, startedAt: number, endedAt: number, ending: Ending): PassReport {
  const cursors = Object.values(state.lists).map((cursor) => cursor.since);
  const reached = cursors.filter((since) => since !== null);
  const whole = cursors.length > 0 && reached.length === cursors.length;
  return {
    end: ending.end,
    detail: ending.detail,
    findings: 0,
    known: 0,
    requests: 0,
    durationMs: endedAt - startedAt,
    cursor: whole ? new Date(Math.min(...reached)).toISOString() : null,
  };
}

function until(time: number): string {
  return `the forge asked to be left alone until ${new Date(time).toISOString()}`;
}

const FAILED: ReadonlySet<PassEnd> = new Set(['forge', 'door']);

/** One line a pass. */
function told({ log }: ReconcilePorts, passed: PassReport): PassReport {
  const message = 'reconciler pass';
  if (FAILED.has(passed.end)) log.error({ ...passed }, message);
  else log.info({ ...passed }, message);
  return passed;
}
