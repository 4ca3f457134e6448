/** What a workflow's history is made of, and which turn its events belong to. */
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Observed } from '../../src/domain/run/events.js';
import type { SignalName } from '../../src/workflows/messages.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];

export interface HistoryKinds {
  readonly events: number;
  readonly remote: number;
  readonly local: number;
  readonly signals: number;
  readonly timers: number;
  readonly upserts: number;
}

/** A message's field that is there: the decoder leaves `null` or nothing for the others. */
export function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

export function countKinds(events: readonly HistoryEvent[]): HistoryKinds {
  const having = (test: (event: HistoryEvent) => boolean): number => events.filter(test).length;
  return {
    events: events.length,
    remote: having((event) => isSet(event.activityTaskScheduledEventAttributes)),
    local: having((event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity'),
    signals: having((event) => isSet(event.workflowExecutionSignaledEventAttributes)),
    timers: having((event) => isSet(event.timerStartedEventAttributes)),
    upserts: having((event) => isSet(event.upsertWorkflowSearchAttributesEventAttributes)),
  };
}

/**
 * The events by turn: from the life's beginning, or from the signal that woke the run, to the next one or to the
 * signal that closes it; whatever reaches the run between two turns counts for the first of them.
 */
export function eventsByTurn(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const turns: HistoryEvent[][] = [[]];
  for (const event of events) {
    if (isClosing(event)) break;
    if (WAKES.includes(nameOf(event))) turns.push([]);
    turns.at(-1)?.push(event);
  }
  return turns;
}

/** `ACTIVITY_TASK_SCHEDULED 3, …`, the most frequent first. */
export function breakdown(events: readonly HistoryEvent[]): string {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(typeOf(event), (counts.get(typeOf(event)) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([type, count]) => `${type} ${String(count)}`)
    .join(', ');
}

/** The one attribute that is set names the event, without the enumeration's numbers. */
export function typeOf(event: HistoryEvent): string {
  const name = Object.entries(event).find(
    ([key, value]) => key.endsWith('EventAttributes') && isSet(value),
  )?.[0];
  return (name ?? 'unknown').replace(/EventAttributes$/, '');
}

export function timeOf(event: HistoryEvent): number {
  const { seconds, nanos } = event.eventTime ?? {};
  return Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6;
}

/** Signals that wake a run. */
const WAKES: readonly string[] = ['issue_comment', 'pr_comment', 'pr_review', 'push'] satisfies SignalName[];

function nameOf(event: HistoryEvent): string {
  return event.workflowExecutionSignaledEventAttributes?.signalName ?? '';
}

/** What the event signalled, if it is a signal. */
export function signalOf(event: HistoryEvent): Readonly<Record<string, unknown>> | undefined {
  const payload = event.workflowExecutionSignaledEventAttributes?.input?.payloads?.[0];
  return isSet(payload) ? defaultPayloadConverter.fromPayload(payload) : undefined;
}

/** The subject closed, or a pull request of the run did. */
function isClosing(event: HistoryEvent): boolean {
  if (nameOf(event) !== 'observed') return false;
  const { open, prs } = signalOf(event) as unknown as Observed;
  return !open || prs.some((pr) => !pr.open);
}
