/** Where the time goes between a delivery and the moment that is measured: Temporal's history and the engine's events. */
import Docker from 'dockerode';
import type { TimedTurn } from './bottle-life.js';
import { median } from '../base/figure.js';
import { isSet, timeOf, type HistoryEvent } from '../base/history-events.js';

/** Milliseconds after the POST. */
export interface Stage {
  readonly name: string;
  readonly at: number;
}

interface EngineEvent {
  readonly Type: string;
  readonly Action: string;
  readonly timeNano: number;
  readonly Actor: { readonly Attributes: Readonly<Record<string, string>> };
}

export async function traceTurn(
  timed: TimedTurn,
  history: readonly HistoryEvent[],
  moment: string,
): Promise<readonly Stage[]> {
  const { postedAt, endedAt } = timed;
  const inTime = (at: number): boolean => at >= postedAt && at <= endedAt + 50;
  const stages = [...temporalStages(history), ...(await engineStages(timed))].filter(({ at }) => inTime(at));
  stages.push({ name: moment, at: endedAt });
  return stages.map(({ name, at }) => ({ name, at: at - postedAt })).sort((a, b) => a.at - b.at);
}

/** Medians by stage, in the order of time, each with the step from the one before. */
export function describeStages(traces: readonly (readonly Stage[])[]): string {
  const names = new Set(traces.flatMap((trace) => trace.map(({ name }) => name)));
  const stages = [...names]
    .map((name) => ({
      name,
      times: traces.flatMap((trace) => trace.find((stage) => stage.name === name)?.at ?? []),
    }))
    .filter(({ times }) => times.length * 2 > traces.length)
    .map(({ name, times }) => ({ name, at: median(times) }))
    .sort((a, b) => a.at - b.at);
  let before = 0;
  const lines = stages.map(({ name, at }) => {
    const line = `${at.toFixed(0).padStart(6)} ms  +${(at - before).toFixed(0).padStart(4)}  ${name}`;
    before = at;
    return line;
  });
  return ['stages, median ms after the POST:', ...lines].join('\n');
}

function temporalStages(history: readonly HistoryEvent[]): Stage[] {
  const activities = new Map<string, string>();
  return history.flatMap((event) => {
    const at = timeOf(event);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (isSet(scheduled)) {
      const name = scheduled.activityType?.name ?? '';
      activities.set(String(event.eventId), name);
      return [{ name: `${name} scheduled`, at }];
    }
    const started = event.activityTaskStartedEventAttributes;
    if (isSet(started))
      return [{ name: `${activities.get(String(started.scheduledEventId)) ?? ''} started`, at }];
    const done = event.activityTaskCompletedEventAttributes;
    if (isSet(done))
      return [{ name: `${activities.get(String(done.scheduledEventId)) ?? ''} completed`, at }];
    if (isSet(event.workflowExecutionSignaledEventAttributes)) return [{ name: 'signal in history', at }];
    return [];
  });
}

async function engineStages({ slug, postedAt, endedAt }: TimedTurn): Promise<Stage[]> {
  const stream = await new Docker().getEvents({
    since: Math.floor(postedAt / 1000),
    until: Math.ceil(endedAt / 1000) + 1,
    filters: { type: ['container'], event: ['create', 'start'] },
  });
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as EngineEvent)
    .filter(({ Actor }) => Actor.Attributes['name']?.startsWith(`bb-${slug}-`) === true)
    .map(({ Action, Actor, timeNano }) => ({
      name: `docker ${Action} ${Actor.Attributes['name']?.slice(`bb-${slug}-`.length) ?? ''}`,
      at: timeNano / 1e6,
    }));
}
