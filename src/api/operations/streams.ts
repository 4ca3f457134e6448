import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { followRun, type LogEntry } from '../../cli/logs/follow-run.js';
import type { RunLogs } from '../../cli/base/run-logs.js';
import { JsonLog } from '../../cli/logs/json-log.js';
import type { ChangeFeed, FeedPlace } from '../../domain/run/change-feed.js';
import { streaming, type SentEvent } from '../base/operation.js';
import { ApiProblem } from '../base/problem.js';
import { number, ONE_RUN } from './fields.js';
import { noRun } from './runs.js';

const POLL_MS = 500;

const followChanges = streaming({
  id: 'followChanges',
  method: 'get',
  path: '/events',
  scope: 'read',
  summary:
    'What happens to all runs, from now on or after Last-Event-ID: recorded for a row of the record, each once; run for a run’s new state, which may come twice',
  async open({ database: { changes }, now }, _asked, { after, signal }) {
    const latest = await changes.latest();
    return changesSince(changes, after === undefined ? latest : placeOf(after, latest), now, signal);
  },
});

const followLogs = streaming({
  id: 'followLogs',
  method: 'get',
  path: '/runs/{slug}/logs',
  scope: 'read',
  summary:
    'What its agent prints, as bot-bottle logs --json has it, until the run is over: events of the kind log; the last one is end',
  params: ONE_RUN,
  query: z.strictObject({
    turn: number(1, 1_000_000).optional().describe('only this turn'),
    follow: z.enum(['true', 'false']).default('true').describe('false: only what there is'),
  }),
  refuses: [404],
  async open({ logs }, { params: { slug }, query }, { after, signal }) {
    if ((await logs.find({ kind: 'slug', slug })) === undefined) throw noRun(slug);
    const [turn = 1, told = 0] = after === undefined ? [] : numbersOf(after);
    if (turn > Math.max(1, ...(await logs.turns(slug)))) throw notOurs();
    if (!(await hasEvents(logs, slug, { turn, told, signal }))) throw notOurs();
    const only = query.turn ?? null;
    const entries = followRun(logs, slug, {
      ...{ follow: query.follow === 'true', turn: only, from: 'start', first: turn, signal },
    });
    return logEvents(entries, new JsonLog(logs), { turn, told });
  },
});

export const STREAMS = [followChanges, followLogs];

async function* changesSince(
  feed: ChangeFeed,
  from: FeedPlace,
  now: () => number,
  signal: AbortSignal,
): AsyncGenerator<SentEvent, void, undefined> {
  let place = from;
  const states = new Map<string, string>();
  while (!signal.aborted) {
    const { changes, place: next } = await feed.since(place, now());
    const isMore = next.seq > place.seq || next.at > place.at;
    for (const change of changes) {
      const { kind, ...data } = change;
      if (kind === 'run') {
        const state = JSON.stringify(data);
        if (states.get(data.slug) === state) continue;
        states.set(data.slug, state);
      }
      // Whoever leaves in the middle goes on in the middle: states of this batch are told again then.
      const seq = change.kind === 'recorded' ? change.seq : next.seq;
      yield { id: `${String(seq)}-${String(place.at)}`, event: kind, data };
    }
    place = next;
    if (!isMore) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a turn has so many: whoever waited for what follows one that there never was would miss all until then. */
async function hasEvents(
  logs: RunLogs,
  slug: string,
  { turn, told, signal }: { readonly turn: number; readonly told: number; readonly signal: AbortSignal },
): Promise<boolean> {
  if (told === 0) return true;
  const log = new JsonLog(logs);
  let count = 0;
  for await (const entry of followRun(logs, slug, { follow: false, turn, from: 'start', signal })) {
    count += log.objectsOf(entry).length;
    if (count >= told) return true;
  }
  return false;
}

/** Told again after a reconnection are those of the same turn before the last one; an id counts them. */
async function* logEvents(
  entries: AsyncIterable<LogEntry>,
  log: JsonLog,
  after: { readonly turn: number; readonly told: number },
): AsyncGenerator<SentEvent, void, undefined> {
  let [turn, told] = [after.turn, 0];
  for await (const entry of entries) {
    if (entry.kind === 'waiting') continue;
    if (entry.turn !== turn) [turn, told] = [entry.turn, 0];
    for (const data of log.objectsOf(entry)) {
      told += 1;
      if (turn === after.turn && told <= after.told) continue;
      yield { id: `${String(turn)}-${String(told)}`, event: 'log', data };
    }
  }
  yield { id: `${String(turn)}-${String(told)}`, event: 'end', data: {} };
}

/** Whoever waited for the rows after one that there never was would miss all until then. */
function placeOf(id: string, latest: FeedPlace): FeedPlace {
  const [seq, at] = numbersOf(id);
  if (seq > latest.seq) throw notOurs();
  // The row of that time may be gone.
  return { seq, at: Math.min(at, latest.at) };
}

function numbersOf(id: string): readonly [number, number] {
  const [, first, second] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  if (first === undefined || second === undefined) throw notOurs();
  return [Number(first), Number(second)];
}

function notOurs(): ApiProblem {
  return new ApiProblem(400, 'Last-Event-ID is none of this stream’s: leave it out to begin anew');
}
