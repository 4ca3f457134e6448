import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import { idOf, withProposingRun } from '../support/temporal/proposing-run.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

describe('what Temporal’s page shows of a run', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  it('has words of ours on every activity and timer', () =>
    withProposingRun(environment(), { holdMs: 300 }, async (life) => {
      await life.propose(idOf('feed0001'));
      const { answer } = await life.proposed(idOf('feed0002'));
      await life.decide(idOf('feed0002'));
      await answer;
      life.endTurn();
      await life.frozen();
      await life.destroy();
      const { events } = await life.handle.fetchHistory();
      const said = (events ?? []).flatMap((event) => {
        const { timerStartedEventAttributes: timer, activityTaskScheduledEventAttributes: activity } = event;
        if (!timer && !activity) return [];
        const summary = event.userMetadata?.summary;
        const what = activity?.activityType?.name ?? 'timer';
        assert.ok(summary, `${what}, event ${String(event.eventId)}`);
        return [`${what}: ${defaultPayloadConverter.fromPayload<string>(summary)}`];
      });
      for (const one of said) assert.match(one, /: .{4}/);
      for (const one of [
        'timer: watchdog of turn 1',
        'timer: proposal feed0001 waits for the operator',
        'applyChange: take feed0002 into effect',
      ])
        assert.ok(said.includes(one), `${one}: ${said.join('; ')}`);
    }));
});
