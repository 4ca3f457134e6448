import assert from 'node:assert/strict';
import {
  breakdown,
  countKinds,
  eventsByTurn,
  type HistoryEvent,
} from '../../../bench/base/history-events.js';
import { savedHistories } from '../../support/temporal/histories.js';

async function wholeLife(): Promise<readonly HistoryEvent[]> {
  const saved = (await savedHistories()).find(({ name }) => name.endsWith('/whole-life-1'));
  return saved?.history.events ?? assert.fail('no history of a whole life');
}

describe('the events of a history', () => {
  it('are counted by what they cost', () => {
    const signal = { workflowExecutionSignaledEventAttributes: { signalName: 'event' } };
    const events: HistoryEvent[] = [
      { workflowExecutionStartedEventAttributes: {} },
      signal,
      { activityTaskScheduledEventAttributes: {} },
      // The decoder writes the fields that are not set as null.
      { activityTaskStartedEventAttributes: {}, activityTaskScheduledEventAttributes: null },
      { activityTaskCompletedEventAttributes: {} },
      { markerRecordedEventAttributes: { markerName: 'core_local_activity' } },
      { markerRecordedEventAttributes: { markerName: 'core_patch' } },
      signal,
      { timerStartedEventAttributes: {} },
      { upsertWorkflowSearchAttributesEventAttributes: {} },
    ];
    const counted = { events: 10, remote: 1, local: 1, signals: 2, timers: 1, upserts: 1 };
    assert.deepEqual(countKinds(events), counted);
  });

  it('belong to the turn they follow; closing the run is no turn', async () => {
    const events = await wholeLife();
    const turns = eventsByTurn(events);
    assert.equal(turns.length, 2);
    const [first = [], second = []] = turns;
    assert.equal(first[0], events[0]);
    assert.match(breakdown(second), /workflowExecutionSignaled 2/, 'the comment and the turn’s start');
    const counted = first.length + second.length;
    const activities = events
      .slice(counted)
      .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    assert.ok(activities.includes('destroyBottle'), 'the end of the life is left out');
    assert.deepEqual([...first, ...second], events.slice(0, counted));
  });

  it('are listed by type, the most frequent first, and the list adds up', async () => {
    const events = await wholeLife();
    const counts = breakdown(events)
      .split(', ')
      .map((entry) => Number(entry.split(' ')[1]));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      events.length,
    );
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
    );
  });
});
