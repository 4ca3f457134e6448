import type { Observed, RunEvent, Trigger } from '../../domain/run/events.js';
import { workflowIdOf } from '../../domain/forge/issue.js';
import type { Place } from '../../domain/forge/issue.js';
import { isLiving, type ForgeStateRow } from '../../domain/run/rows.js';
import { FORGE_CLOCK_GRAIN_MS, isLaterAct } from '../../domain/forge/trigger.js';
import type { Addressee, HandleDeps } from './dispatch-deps.js';
import type { Hint } from '../events/hint.js';
import { findPlace } from './find-place.js';
import type { Unserved } from './find-place.js';
import type { Observation } from './observe-subject.js';
import { allOf, oneForAll } from './outcome.js';
import type { DispatchOutcome, Handled } from './outcome.js';
import { RecentKeys } from './recent-keys.js';
import type { RunLookup } from './run-lookup.js';
import { textVersionsOf, type Segment } from './segment.js';
import { unworkable } from './unworkable.js';

/** The latest read of a subject, and what it told the workflow; `null` when there was none to tell. */
interface LastRead {
  readonly at: number;
  readonly signalled: string | null;
  /** It refused a trigger because the text may have been changed since. */
  readonly edited: boolean;
}

/** One act of a person comes as several deliveries within a second; each event in a workflow's history costs. */
const SAME_NEWS_MS = 5_000;
/** What the reconciler finds beside the forge's own deliveries is mostly known; told again after a while, it mends. */
const FOUND_NEWS_MS = 600_000;
/** What is not found is looked for once more after this long before it counts as gone or hidden: a forge may be starting. */
const SECOND_LOOK_MS = 10_000;

type Found = Extract<Observation, { kind: 'observed' }>;

/** What was looked at, and why. */
interface Look {
  readonly to: Addressee;
  readonly hints: readonly Hint[];
  /** The latest of them. */
  readonly hint: Hint;
  readonly readKey: string;
  readonly last: LastRead | undefined;
}
type StateSegment = Extract<Segment, { kind: 'state' }>;

/** Hints that a subject changed: read once, fresh, and told to the workflow as what was seen. */
export function createStateHandler(
  deps: HandleDeps,
): (segment: StateSegment, to: Addressee) => Promise<Handled> {
  const lastRead = new RecentKeys<LastRead>(10_000);
  const missingSince = new RecentKeys<number>(10_000);
  let latestRead = 0;

  /** When a read began, as the machine is told, which ignores the older ones: not before others if the clock was set back. */
  function inOrder(readAt: number): number {
    latestRead = Math.max(latestRead, readAt);
    return latestRead > deps.now() ? latestRead : readAt;
  }

  return async ({ hints, deliveries, waiting }, to) => {
    const count = deliveries.length;
    const hint = hints.at(-1);
    if (hint === undefined) return allOf(count, 'malformed');
    const readKey = `${workflowIdOf(to.identity)} ${String(hint.subject.number)}`;
    const last = lastRead.get(readKey);
    const receivedAt = Math.max(...deliveries.map((delivery) => delivery.receivedAt));
    // A read of the future was before the clock was set back.
    const isCovered = last !== undefined && last.at > receivedAt && last.at <= deps.now();
    // What came while the read began may know better which text was there at the act.
    const knowsMore = last?.edited === true && hints.some(({ textVersion }) => textVersion !== undefined);
    if (isCovered && !knowsMore) return allOf(count, 'covered');
    const seen = await findPlace(deps, hint, to.row, textVersionsOf(waiting, hint));
    if (seen.kind !== 'observed') {
      if (to.row === undefined || !isLiving(to.row)) return allOf(count, 'gone', reasonOf(seen));
      const since = missingSince.get(readKey) ?? 0;
      if (seen.kind !== 'unserved' && since === 0) {
        missingSince.set(readKey, deps.now());
        return { kind: 'held', until: deps.now() + SECOND_LOOK_MS };
      }
      const why = reasonOf(seen);
      if (seen.kind === 'missing') {
        await deps.gateway.signal(to.identity, { kind: 'lost', readAt: deps.now(), why });
        return allOf(count, 'gone', why);
      }
      // What it was told last is news again when it is served again.
      lastRead.set(readKey, { at: 0, edited: false, ...last, signalled: null });
      missingSince.set(readKey, 0);
      if (to.row.reason !== 'unserved') await deps.gateway.signal(to.identity, { kind: 'unserved', why });
      return allOf(count, 'unserved', why);
    }
    missingSince.set(readKey, 0);
    return tell(seen, { to, hints, hint, readKey, last });
  };

  async function tell(
    { event: seen, issue, pull, refusal: objection, edited }: Found,
    { to, hints, hint, readKey, last }: Look,
  ): Promise<Handled> {
    const { gateway, runs, acknowledger } = deps;
    const count = hints.length;
    // Looked up again: the life that the row spoke of may have ended while the forge was being read.
    const row = await runs.find(hint);
    const asked = await newTriggerOf(seen, row, runs);
    // A run that goes on says itself what keeps it from its next turn.
    const begins = asked !== null && (row === undefined || !isLiving(row));
    const forge = deps.forgeFor(hint.subject);
    const here = deps.forgeFor({ ...hint.subject, ...seen.place });
    const unfit = begins ? await unworkable(here, asked, { issue, pull }, deps.settings.publish) : null;
    // What a run goes by already is told as it is.
    const event = asked === null || (edited ?? unfit) === null ? seen : { ...seen, trigger: null };
    const { readAt } = event;
    const told = { ...event, readAt: inOrder(readAt) };
    const news = JSON.stringify({ ...event, readAt: undefined, aheadMs: undefined });
    const holder = asked === null ? undefined : await holderElsewhere(runs, to, event.place);
    const obstacle = asked === null ? undefined : (holder ?? edited ?? unfit ?? undefined);
    const refusal = obstacle === undefined ? objection : { reason: obstacle, at: asked?.actAt ?? 0 };
    const newTrigger = obstacle === undefined ? asked : null;
    const known = hints.every((one) => one.sender === null) ? FOUND_NEWS_MS : SAME_NEWS_MS;
    if (last?.signalled === news && readAt - last.at < known) return allOf(count, 'covered');
    const nothingNew = newTrigger === null && refusal === null && isOrdinary(event);
    const bot = await forge.whoAmI();
    if (nothingNew && hints.every((one) => one.sender?.id === bot.id)) return allOf(count, 'own');
    let outcome: DispatchOutcome;
    if (newTrigger !== null) {
      const about = { title: issue.title, url: issue.url };
      await gateway.signalWithStart(to.identity, { ...told, trigger: newTrigger }, about);
      outcome = 'started';
    } else {
      outcome = holder === undefined ? await signal(to, told) : 'no_run';
    }
    const signalled = outcome === 'no_run' ? null : news;
    lastRead.set(readKey, { at: readAt, signalled, edited: asked !== null && edited !== null });
    if (newTrigger !== null) acknowledger.pickedUp(here, to.identity, newTrigger);
    if (refusal !== null) acknowledger.refused(here, to.identity, refusal.reason, refusal.at);
    const handled = oneForAll(count, outcome, detailOf(newTrigger, refusal));
    return newTrigger === null ? handled : { ...handled, startedBy: newTrigger.actAt };
  }

  async function signal(to: Addressee, event: RunEvent): Promise<DispatchOutcome> {
    return (await deps.gateway.signal(to.identity, event)) === 'delivered' ? 'signalled' : 'no_run';
  }
}

function reasonOf(seen: Exclude<Observation, Found> | Unserved): string {
  return seen.kind === 'missing' ? 'the forge has no such issue any longer' : seen.why;
}

function detailOf(trigger: Trigger | null, refusal: { readonly reason: string } | null): string {
  if (refusal !== null) return `refused: ${refusal.reason}`;
  if (trigger === null) return '';
  return `trigger by ${trigger.actor} for ${trigger.agent}, act ${String(trigger.actId)}`;
}

/** A run of a renamed repository goes on under the name that another repository has taken since. */
async function holderElsewhere(runs: RunLookup, to: Addressee, place: Place): Promise<string | undefined> {
  const holder = await runs.holderOf(to.identity);
  if (holder === undefined || holder.repoId === null || holder.repoId === place.repoId) return undefined;
  return `a run of ${holder.owner}/${holder.repo}, which had this name before, goes on: close that first`;
}

/** A run at work, and everything open: nothing that the bot does brings about anything else that a workflow must know. */
function isOrdinary({ open, triggered, prs }: Observed): boolean {
  return open && triggered && prs.every((pr) => pr.open);
}

/** Only an act later than the one that began the last life, and than its end, begins another. */
async function newTriggerOf(
  event: Observed,
  row: ForgeStateRow | undefined,
  runs: RunLookup,
): Promise<Trigger | null> {
  const { trigger } = event;
  if (trigger === null || row === undefined) return trigger;
  const before = await runs.triggerOf(row.slug);
  if (before !== undefined && !isLaterAct(trigger, before)) return null;
  const endedAt = row.destroyedAt ?? (row.status === 'destroyed' ? row.updatedAt : null);
  const grain = before === undefined ? 0 : FORGE_CLOCK_GRAIN_MS;
  return endedAt === null || trigger.actAt + grain > endedAt ? trigger : null;
}
